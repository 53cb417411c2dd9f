// Informs the operator that another operator has signed in in another tab. The browser has one session for
// all its tabs, so this page can no longer write.
import { hideOtherSession, otherSession, useSession } from '../client/session.js';
import { Dialog } from '../parts/dialog.js';
import { html } from '../parts/html.js';

export function OtherOperator() {
  const session = useSession();
  const other = otherSession();
  if (!session || !other) return null;
  return html`<${Dialog} title="Another operator is signed in" confirm="Reload the page" onConfirm=${() => window.location.reload()}
    onClose=${hideOtherSession}>
    <p><strong>${other.operatorName}</strong> (${other.role}) has signed in in another tab of this browser. This page belongs to${' '}
      <strong>${session.operatorName}</strong>. Nothing was stored.</p>
    <p>Reload the page to continue as ${other.operatorName}. Text that you have typed on this page is lost.</p>
  <//>`;
}
