// The console: everything is put in as text, nothing as markup.

const find = (id) => document.getElementById(id);

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function row(cells, className) {
  const made = element('tr', undefined, className);
  made.append(...cells.map((cell) => (cell instanceof Node ? cell : element('td', cell))));
  return made;
}

function heading(text, scope) {
  const made = element('th', text);
  made.scope = scope;
  return made;
}

/** JSON, or an error whose words are the host's. */
async function ask(path, body) {
  const answered = await fetch(`/console/${path}`, body && { method: 'POST', body: JSON.stringify(body) });
  const json = await answered.json();
  if (!answered.ok) throw Object.assign(new Error(json.message), { report: json.details?.report });
  return json;
}

const short = (digest) => digest?.replace(/^sha256:/, '').slice(0, 12) ?? 'none';

function decision({ outcome, version, reason, cause }) {
  const text = outcome === 'accepted' ? `${version} (${cause})` : `refused: ${reason} (${cause})`;
  return element('td', text, outcome);
}

async function showMatrix() {
  const { tables } = await ask('matrix');
  const made = tables.map(({ protocol, offered, preferred, floor, rows }) => {
    const table = element('table');
    const says = `${protocol}: offered ${offered.join(', ')}; preferred ${preferred}; floor ${floor}`;
    const columns = ['Named', 'In', 'Authenticated', 'Not authenticated'];
    const head = element('thead');
    head.append(row(columns.map((column) => heading(column, 'col'))));
    const body = element('tbody');
    for (const one of rows) {
      const named = `${one.named ?? 'nothing'}${one.note && ` (${one.note})`}`;
      const decided = [one.authenticated, one.unauthenticated].map(decision);
      body.append(row([heading(named, 'row'), one.in, ...decided]));
    }
    table.append(element('caption', says), head, body);
    return table;
  });
  find('matrix').replaceChildren(...made);
}

let inForce;

function showPolicies({ inside, told, history }) {
  find('inside').hidden = !inside;
  find('policies').hidden = inside;
  if (inside) {
    inForce = undefined;
    find('in-force').textContent = 'In force: the policy inside the component';
    return;
  }
  const { current, previous, failures, problem } = told;
  inForce = current?.generation ?? 0;
  find('in-force').textContent = current
    ? `In force: generation ${current.generation}, policy ${short(current.policy)}; failed ${failures} times` +
      (current.untrusted ? '; NOT TRUSTED' : '')
    : 'No policy in force: every exchange is refused (policy-failed)';
  find('problem').textContent = problem ?? '';
  const shown = [current, ...history].filter(Boolean).map((one) =>
    row(
      [
        heading(one === current ? `${one.generation} (in force)` : `${one.generation}`, 'row'),
        short(one.policy),
        short(one.settings),
        one.reason,
        one.untrusted ? 'NO' : 'yes',
      ],
      one === current ? 'current' : '',
    ),
  );
  find('generations').replaceChildren(...shown);
  find('rollback').disabled = !previous;
  find('rollback').textContent = previous ? `Go back to policy ${short(previous.policy)}` : 'Nothing to go back to';
  find('sure-what').textContent = previous
    ? `Policy ${short(previous.policy)} of generation ${previous.generation} takes the place of ${short(current.policy)}.`
    : '';
}

/** What is in force may change by other hands. */
let shown;
async function refresh() {
  try {
    const policies = await ask('policies');
    const now = JSON.stringify(policies);
    if (now === shown) return;
    showPolicies(policies);
    await showMatrix();
    shown = now;
  } catch (error) {
    find('in-force').textContent = `Not known: ${error.message}`;
  }
}

find('rollback').addEventListener('click', () => {
  // It was asked for what is seen now, whatever comes while it is thought about.
  find('sure').dataset.generation = inForce;
  find('sure').returnValue = 'no';
  find('sure').showModal();
});

find('sure').addEventListener('close', async () => {
  if (find('sure').returnValue !== 'yes') return;
  find('rolled').textContent = 'going back';
  try {
    await ask('rollback', { generation: Number(find('sure').dataset.generation) });
    find('rolled').textContent = 'done';
  } catch (error) {
    find('rolled').textContent = `Not done: ${error.message}`;
  }
  await refresh();
});

/** A file as base64. */
function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(',') + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

function showChanges(report) {
  const { changes, failures, grid } = report;
  const parts = failures.map(({ kind, count, example }) =>
    element('p', `${kind}, ${count} times; first: ${example}`, 'refused'),
  );
  if (changes) {
    const { loosened, tightened, moved, groups } = changes;
    const all = `${loosened + tightened + moved} of ${grid.decisions} decisions differ: `;
    parts.push(element('p', `${all}${loosened} loosened, ${tightened} tightened, ${moved} moved`));
    if (groups.length > 0) {
      const table = element('table');
      const names = Object.keys(groups[0]);
      const head = element('thead');
      head.append(row(names.map((name) => heading(name, 'col'))));
      const body = element('tbody');
      for (const group of groups) {
        body.append(row(names.map((name) => String(group[name]))));
      }
      table.append(element('caption', 'Who would be decided upon in another way'), head, body);
      const region = element('div', undefined, 'scroll');
      region.tabIndex = 0;
      region.role = 'region';
      region.ariaLabel = 'Changes';
      region.append(table);
      parts.push(region);
    }
  }
  find('changes').replaceChildren(...parts);
}

find('candidate').addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = event.submitter;
  button.disabled = true;
  find('changes').replaceChildren();
  find('compared').textContent = 'trying it';
  try {
    const [settings] = find('settings').files;
    const [envelope] = find('envelope').files;
    const candidate = { policy: await base64(find('policy').files[0]) };
    if (settings) candidate.settings = await settings.text();
    if (envelope) candidate.envelope = await envelope.text();
    const { report } = await ask('candidate', candidate);
    find('compared').textContent = 'it would be let in, where loosening is allowed';
    showChanges(report);
  } catch (error) {
    find('compared').textContent = `It would not be let in: ${error.message}`;
    if (error.report) showChanges(error.report);
  }
  button.disabled = false;
});

const records = new EventSource('/console/records');
records.onopen = () => (find('live').textContent = 'live');
records.onerror = () => (find('live').textContent = 'not connected; trying again');
records.addEventListener('negotiation.decided', ({ data }) => {
  const { payload } = JSON.parse(data);
  // Runs have other events, too.
  if (!payload?.outcome) return;
  const { at, protocol, requested, floor, outcome, version, reason } = payload;
  const cells = [at, protocol, requested ?? 'nothing', floor, outcome, version, reason];
  find('records').prepend(row(cells.map((cell) => cell ?? ''), outcome));
  while (find('records').rows.length > 100) find('records').lastChild.remove();
});

await refresh();
setInterval(refresh, 3000);
