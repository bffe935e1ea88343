"""Networks: positions in, logits of nine choices and win/draw/loss out."""
