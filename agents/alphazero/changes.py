"""What differs between positions and the roots of their searches, and where to find the rest.

Boards are heap-numbered. A deepest board is a row of a network's table: its contents from the
viewer's side, or, past those, what became of it (see `content_row`).
"""

import numpy as np

from agents.alphazero.encoding import MINE, NUM_CODES, OPEN, status_of, walk
from rstt_env.jit import kernel
from rstt_env.kernels import get
from rstt_env.state import OPEN as OPEN_SQUARES
from rstt_env.tree import BASE_THREE, digit_of, first_deepest, parent_of


@kernel
def content_row(boards, g, board, viewer):
    """The table's row for deepest board `board` of position `g`."""
    if board > 0:
        status = status_of(boards, g, parent_of(board), digit_of(board), viewer)
        if status != OPEN:
            return NUM_CODES + status - MINE
    mine = BASE_THREE[get(boards, g, board, viewer)]
    return mine + 2 * BASE_THREE[get(boards, g, board, 1 - viewer)]


@kernel
def fill_content_rows(boards, positions, nodes, viewers, out):
    """`content_row` of n boards, into `out`, int64[n]."""
    for i in range(len(positions)):
        out[i] = content_row(boards, positions[i], nodes[i], viewers[i])


@kernel
def fill_statuses(boards, positions, nodes, viewers, out):
    """What became of n boards, into `out`, int64[n]: `OPEN`, `MINE`, …; OPEN for the root."""
    for i in range(len(positions)):
        out[i] = OPEN
        if nodes[i] > 0:
            parent, digit = parent_of(nodes[i]), digit_of(nodes[i])
            out[i] = status_of(boards, positions[i], parent, digit, viewers[i])


@kernel
def update_roots(levels, boards, rows, opens, changed):
    """Bring `rows`, int32[2, G, 9^(d-1)], the deepest boards in both views, up to date.

    And `opens`, uint16[G, num_boards], how many squares are open in boards. Sets `changed`,
    bool[G, num_boards], for boards that differ and those above them.
    """
    first = first_deepest(levels)
    for g in range(len(boards)):
        opens[g] = boards[g, :, OPEN_SQUARES]
        for board in range(first, boards.shape[1]):
            for viewer in range(2):
                row = content_row(boards, g, board, viewer)
                if row != rows[viewer, g, board - first]:
                    rows[viewer, g, board - first] = row
                    changed[g, board] = True
        for board in range(boards.shape[1] - 1, 0, -1):
            if changed[g, board]:
                changed[g, parent_of(board)] = True


@kernel
def find_changes(levels, boards, movers, positions, roots, rows, opens, leaf, node, before, after):
    """The deepest boards in which n leaves differ from their roots; returns how many there are.

    Fills int64[m], as far as there is room, sorted by leaf and board: the leaf's number, the
    board, and its `content_row` at the root and at the leaf, as the leaf's mover sees it.
    """
    first, found = first_deepest(levels), 0
    stack = np.zeros(9 * len(levels), np.int64)  # boards that may differ, the first on top
    for i in range(len(positions)):
        g, viewer, size = positions[i], movers[i], 1
        stack[0] = 0
        while size:
            size -= 1
            board = stack[size]
            if board >= first:
                row = content_row(boards, g, board, viewer)
                kept = rows[viewer, roots[i], board - first]
                if row != kept:
                    if found < len(leaf):
                        leaf[found], node[found], before[found], after[found] = i, board, kept, row
                    found += 1
            elif get(boards, g, board, OPEN_SQUARES) != opens[roots[i], board]:
                # every mark takes an open square from all boards around it
                for child in range(9 * board + 9, 9 * board, -1):
                    stack[size] = child
                    size += 1
    return found


@kernel
def merge_parents(leaf, node, parent_leaf, parent_node, parent_of_entry):
    """The different parents of m entries that are sorted by leaf and board; returns how many.

    Fills their leaf and board, and for each entry the number of its parent.
    """
    found = 0
    for i in range(len(leaf)):
        parent = parent_of(node[i])
        if found == 0 or parent_leaf[found - 1] != leaf[i] or parent_node[found - 1] != parent:
            parent_leaf[found], parent_node[found] = leaf[i], parent
            found += 1
        parent_of_entry[i] = found - 1
    return found


@kernel
def sort_by_digit(node, order, ends):
    """`order`, int64[m]: m entries sorted by the digit of their board; `ends`, int64[10]: where the
    entries of digit k begin, and those of k + 1."""
    ends[:] = 0
    for i in range(len(node)):
        ends[digit_of(node[i]) + 1] += 1
    for digit in range(9):
        ends[digit + 1] += ends[digit]
    place = ends.copy()
    for i in range(len(node)):
        digit = digit_of(node[i])
        order[place[digit]] = i
        place[digit] += 1


@kernel
def gather(leaves, node, begins, entry_node, entries, kept, viewers, roots, out):
    """For each of k leaves what belongs to one of its boards, all of a level, into `out`, [k, W].

    That is its own entry, if the board has changed (a leaf has the entries from its place in
    `begins` on), else what is kept of its root, [2, G, num_boards, W].
    """
    for i in range(len(node)):
        leaf, own = leaves[i], -1
        for entry in range(begins[leaf], begins[leaf + 1]):
            if entry_node[entry] == node[i]:
                own = entry
        out[i] = entries[own] if own >= 0 else kept[viewers[leaf], roots[leaf], node[i]]


@kernel
def gather_children(levels, rows, table, kept, viewer, roots, nodes, out):
    """The embeddings of the nine children of m inner boards of roots, into `out`, [m, 9·C]."""
    first, width = first_deepest(levels), table.shape[1]
    for i in range(len(nodes)):
        for digit in range(9):
            child, at = 9 * nodes[i] + 1 + digit, digit * width
            if child >= first:
                out[i, at : at + width] = table[rows[viewer, roots[i], child - first]]
            else:
                out[i, at : at + width] = kept[viewer, roots[i], child]


@kernel
def find_paths(levels, boards, positions, focus, path, reach):
    """Of n positions, what `Encoding` calls `path` and `reach`: int64[n, d-1] and int64[n]."""
    first = first_deepest(levels)
    for i in range(len(focus)):
        reach[i] = -1
        if focus[i] >= first and len(levels) > 1:
            reach[i] = walk(levels, boards, positions[i], focus[i])
        level, board = 0, focus[i]
        while board > 0:
            level, board = level + 1, parent_of(board)
        path[i, :] = 0
        board = focus[i]
        for step in range(level - 1, -1, -1):
            path[i, step], board = board, parent_of(board)
