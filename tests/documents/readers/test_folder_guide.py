"""Each line of the guide about what is read of a format is held by tests."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HELD = {
    "PDF": [
        "test_text_that_nobody_sees_is_left_out_and_counted_or_marked",
        "test_values_of_a_form_stand_behind_their_labels_and_notes_have_authors",
        "test_raised_digits_are_no_digits_of_the_number_before_them",
        "test_the_text_layer_of_a_scan_is_read",
        "test_a_page_in_wrong_letters_is_left_out_and_named",
    ],
    "XLSX, XLSM": [
        "test_a_number_is_shown_by_its_format",
        "test_what_a_workbook_hides_is_left_out_and_counted",
        "test_merged_cells_and_stacked_headers_stand_beside_every_value_that_they_cover",
        "test_charts_comments_and_formulas_without_values_are_read_or_named",
    ],
    "XLS": ["test_an_old_workbook_is_read_as_it_is_shown"],
    "ODS": ["test_an_open_document_workbook_is_read_as_it_is_shown"],
    "DOCX": [
        "test_clauses_carry_the_numbers_that_word_computes",
        "test_boxes_and_lists_of_forms_show_their_state",
        "test_comments_of_word_name_their_author_and_what_they_are_on",
        "test_hidden_text_of_word_is_left_out_and_counted_or_marked",
        "test_exponents_are_marked_and_marks_of_notes_stand_apart",
    ],
    "PPTX": [
        "test_a_native_chart_is_a_table_of_its_series",
        "test_a_hidden_slide_is_left_out_and_counted_or_marked",
        "test_merged_cells_of_a_slide_stand_in_every_row_and_column",
    ],
    "ODP": ["test_an_open_document_presentation_has_a_page_for_each_slide"],
    "HTML": [
        "test_lists_and_fields_of_a_page_are_read_as_shown",
        "test_hidden_words_of_a_page_can_be_read_with_a_mark",
        "test_merged_cells_and_stacked_headers_of_a_page_are_repeated",
    ],
    "mail": ["test_what_a_message_quotes_is_marked_with_its_date_and_author"],
    "CSV": ["test_a_line_that_names_the_separator_is_no_content"],
    "subtitles": ["test_subtitles_are_speech_with_time_and_speaker"],
}


def test_each_format_of_the_guide_is_held_by_tests() -> None:
    guide = (ROOT / "docs/guides/folders.md").read_text(encoding="utf-8")
    table = guide.split("## What a person sees is what is read")[1].split("\n\n")[1]
    formats = [line.split(" | ")[0].removeprefix("| ") for line in table.splitlines()[2:]]
    assert formats == list(HELD)
    written = {
        node.name
        for path in Path(__file__).parent.glob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    }
    assert {name for names in HELD.values() for name in names} <= written
