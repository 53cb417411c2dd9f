// Reads the server's properties from the page.

/** @param {string} name */
function property(name) {
  return document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? '';
}

/** @param {string} name */
function says(name) {
  return property(name) === 'yes';
}

/** Whether the server's clock can be set. */
export const isSandbox = says('sandbox');

/** Whether the completion of a pay period needs two operators. */
export const needsTwoOperators = says('two-person-completion');

/** The name of the identity provider for operators. Empty without an identity provider. */
export const singleSignOn = property('single-sign-on');
