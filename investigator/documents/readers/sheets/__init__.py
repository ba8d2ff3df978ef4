"""Reads workbooks: XLSX, XLSM, XLSB, XLS and ODS."""
