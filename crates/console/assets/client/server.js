// Reads the server's properties from the page.

/** @param {string} name */
function says(name) {
  return document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') === 'yes';
}

/** Whether the server's clock can be set. */
export const isSandbox = says('sandbox');

/** Whether the completion of a pay period needs two operators. */
export const needsTwoOperators = says('two-person-completion');
