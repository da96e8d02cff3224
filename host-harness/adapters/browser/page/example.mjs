// The example page: settles what the form says, in the browser.

import { load } from '@openwop/negotiator';

const negotiator = await load({
  a2a: { offered: ['0.3', '1.0'], preferred: '1.0', floor: '0.3' },
});
const form = document.querySelector('#form');

function settle() {
  const given = new FormData(form);
  const message = {
    protocol: 'a2a',
    authenticated: given.has('authenticated'),
    httpMethod: 'post',
    headers: [['A2A-Version', given.get('version')]],
  };
  const { decision, entry } = negotiator.settle(message, { at: new Date().toISOString() });
  document.querySelector('#settled').textContent =
    `${decision.tag} (${decision.val.cause})\n${entry.payload}`;
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  settle();
});
settle();
