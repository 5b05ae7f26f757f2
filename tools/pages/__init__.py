"""Make the tables, plots and pictures of the website. Nothing is measured or trained here."""
