"""Front ends for other programs: stdio, HTTP and the page."""
