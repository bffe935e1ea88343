// The dialog that loads a game from a file or a text.

import { $ } from "./dom.js";
import { describeRecord, parseRecords } from "./records.js";

/** Event: "load" with the record as detail. */
export class ImportDialog extends EventTarget {
  constructor() {
    super();
    this.records = [];
    $("import-file").addEventListener("change", ({ target }) => this.readFile(target.files[0]));
    $("import-text").addEventListener("input", ({ target }) => this.read(target.value));
    $("import-number").addEventListener("input", () => this.describe());
    $("import-form").addEventListener("submit", () => {
      this.dispatchEvent(new CustomEvent("load", { detail: this.record }));
    });
  }

  open() {
    $("import").showModal();
  }

  async readFile(file) {
    if (!file) return;
    $("import-text").value = "";
    this.read(await file.text());
  }

  read(text) {
    this.records = [];
    this.error = "";
    try {
      if (text.trim()) this.records = parseRecords(text);
    } catch (error) {
      this.error = error.message;
    }
    const number = $("import-number");
    $("import-choice").hidden = this.records.length < 2;
    $("import-of").textContent = `of ${this.records.length.toLocaleString("en")}`;
    number.max = Math.max(1, this.records.length);
    number.value = 1;
    this.describe();
  }

  get record() {
    return this.records[Number($("import-number").value) - 1];
  }

  describe() {
    let text = this.error;
    let fine = false;
    try {
      if (this.record) text = describeRecord(this.record);
      fine = Boolean(this.record);
    } catch (error) {
      text = `It can’t be shown: ${error.message}`;
    }
    $("import-about").textContent = text;
    $("import-show").disabled = !fine;
  }
}
