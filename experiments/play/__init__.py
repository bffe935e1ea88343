"""The web board: a server that keeps matches, and the page that shows them."""
