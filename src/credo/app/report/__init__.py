"""The report: one file of HTML with everything in it, for a browser, a phone and a printer, without a network."""

from credo.app.report.page import report_html

__all__ = ["report_html"]
