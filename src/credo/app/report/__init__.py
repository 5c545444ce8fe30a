"""The report: one file of HTML with everything in it, for a browser, a phone and a printer, without a network."""

from credo.app.report.page import report_html
from credo.app.report.writing import Written, write_report

__all__ = ["Written", "report_html", "write_report"]
