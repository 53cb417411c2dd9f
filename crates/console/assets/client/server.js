// What the page says of its server.

/** @param {string} name */
function says(name) {
  return document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') === 'yes';
}

/** Its clock can be set. */
export const isSandbox = says('sandbox');

/** Two operators complete a pay period. */
export const needsTwoOperators = says('two-person-completion');
