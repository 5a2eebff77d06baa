"""Made the workbooks beside this file, once. Needs openpyxl and odfpy."""

from datetime import date, time

from odf.opendocument import OpenDocumentSpreadsheet
from odf.style import Style, TableProperties
from odf.table import Table, TableCell, TableRow
from odf.text import P
from openpyxl import Workbook

ATTACKS = [[], ["", "Hex", "Odds", "Order", "", ""], ["", "F12 & F13", "3 to 1", 2], [], ["", "G13", "5/1", 1]]
ATTACKS += [["", "I11", "1-4", 3], []]
ROLLS = [["why"], ["F12 3-1"]]


def xlsx(name, sheets):
    book = Workbook()
    book.remove(book.active)
    for title, rows, is_hidden in sheets:
        sheet = book.create_sheet(title)
        sheet.sheet_state = "hidden" if is_hidden else "visible"
        for r, row in enumerate(rows, 1):
            for c, value in enumerate(row, 1):
                if value != "":
                    cell = sheet.cell(r, c, value)
                    if isinstance(value, date):
                        cell.number_format = "d-mmm"
    book.save(name)


def ods(name, sheets):
    book = OpenDocumentSpreadsheet()
    hidden = Style(name="hidden", family="table")
    hidden.addElement(TableProperties(display="false"))
    book.automaticstyles.addElement(hidden)
    for title, rows, is_hidden in sheets:
        table = Table(name=title, **({"stylename": hidden} if is_hidden else {}))
        for row in rows:
            line = TableRow()
            for value in row or [""]:
                line.addElement(ods_cell(value))
            table.addElement(line)
        # As LibreOffice does to the end of every sheet.
        table.addElement(TableRow(numberrowsrepeated=1_048_000))
        book.spreadsheet.addElement(table)
    book.save(name)


def ods_cell(value):
    if value == "":
        return TableCell()
    if isinstance(value, time):
        cell = TableCell(valuetype="time", timevalue=value.strftime("PT%HH%MM%SS"))
    elif isinstance(value, date):
        cell = TableCell(valuetype="date", datevalue=value.isoformat())
    elif isinstance(value, int):
        cell = TableCell(valuetype="float", value=value)
    else:
        cell = TableCell(valuetype="string")
    cell.addElement(P(text=str(value)))
    return cell


for write, ext, changed in [(xlsx, "xlsx", date(2026, 1, 3)), (ods, "ods", time(3, 1))]:
    old = ("Old", [["hexes", "odds"], ["A1", "1-1"]], True)
    write(f"attacks.{ext}", [old, ("Empty", [], False), ("Attacks", ATTACKS, False), ("Rolls", ROLLS, False)])
    write(f"changed.{ext}", [("Attacks", [["hexes", "odds"], ["F12", "3-1"], ["G13", changed]], False)])
    write(f"rolls.{ext}", [("Rolls", ROLLS + [["G13 5-1, river"]], False)])
