// Adds to the page of Swagger UI what screen readers and keyboards need. Swagger UI renders parts of the page
// again after each click, so the repair runs after each change of the document.
(function () {
  function set(node, name, value) {
    if (node.getAttribute(name) !== value) node.setAttribute(name, value);
  }

  function each(selector, change) {
    document.querySelectorAll(selector).forEach(change);
  }

  function nameOfParameter(field) {
    var row = field.closest("tr");
    return (row && row.getAttribute("data-param-name")) || "Value";
  }

  function repair() {
    // A link inside a button is not allowed, and the button opens the same operation.
    each(".opblock-summary-control a[href]", function (link) { link.removeAttribute("href"); });
    each("#servers", function (list) { set(list, "aria-label", "Server"); });
    each(".examples-select-element", function (list) { set(list, "aria-label", "Example"); });
    each(".content-type", function (list) { set(list, "aria-label", "Media type"); });
    each(".parameters-col_description :is(select, input, textarea)", function (field) {
      set(field, "aria-label", nameOfParameter(field));
    });
    each(".body-param__text", function (field) { set(field, "aria-label", "Body"); });
    each(".close-modal", function (button) { set(button, "aria-label", "Close"); });
    // A block that scrolls must be reachable by keyboard.
    each(".microlight", function (code) { set(code, "tabindex", "0"); });
    each("table[role=region]", function (table) { set(table, "aria-label", "Responses " + table.id); });
    // The title of the page is a heading of level 2, and no level may be left out.
    each(".swagger-ui :is(h3, h4, h5)", function (heading) {
      if (heading.closest(".renderedMarkdown")) return;
      set(heading, "role", "heading");
      set(heading, "aria-level", heading.matches(".opblock-tag, .modal-ux-header h3") ? "2" : "3");
    });
  }

  repair();
  new MutationObserver(repair).observe(document.body, { childList: true, subtree: true });
})();
