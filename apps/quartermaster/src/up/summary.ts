import type { ServedAddresses } from '@quartermaster/runtime';

export interface SummaryFacts {
  /** Signs whoever opens it in, once. */
  readonly consoleLink: string;
  readonly kubeconfig: string;
  readonly kubernetes: 'simulated' | 'real' | 'given';
  readonly directory: string;
  /** Where each role serves. */
  readonly roles: ReadonlyMap<string, Pick<ServedAddresses, 'rest'>>;
  readonly tokenFile: string;
  /** Of who bids on the market for the provider. */
  readonly providerTokenFile: string;
  readonly tenants: readonly { readonly name: string; readonly tokenFile: string }[];
}

const kinds = {
  simulated: 'a simulated cluster: nothing in it is real',
  real: 'a real Kubernetes control plane with simulated nodes',
  given: 'the cluster of your kubeconfig: nothing is simulated',
} as const;

/** What a person reads when everything runs. */
export function summary(facts: SummaryFacts): string {
  const { consoleLink, kubeconfig, kubernetes, directory, roles, tokenFile, providerTokenFile, tenants } = facts;
  const kubectl = `kubectl --kubeconfig ${shellWord(kubeconfig)}`;
  const tryOut = kubernetes === 'given' ? [] : [`${kubectl} run hello --image=nginx`];
  const deploy = tenants.length === 0 ? [] : ['npx quartermaster deploy examples/gpu.yaml --wait'];
  const ofTenants = tenants.map((tenant) => [`tenant ${tenant.name}`, tenant.tokenFile] as const);
  const tokens = [['administrator', tokenFile] as const, ['provider', providerTokenFile] as const, ...ofTenants];
  return `
Quartermaster is ready, on ${kinds[kubernetes]}.

  console     ${consoleLink}
  kubeconfig  ${kubeconfig}
  data        ${directory}

The link signs you in once, within ten minutes; \`quartermaster console link\` prints another.

REST addresses of the roles:

${columns([...roles].map(([name, { rest }]) => [name, rest]))}

Tokens, to sign in with and for the APIs, each in a file:

${columns(tokens)}

In another terminal:

  ${[`${kubectl} get nodes`, ...tryOut, `${kubectl} get pods --all-namespaces --watch`, ...deploy].join('\n  ')}

Ctrl-C stops it.
`;
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const longest = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(longest)}  ${text}`).join('\n');
}

/** As a shell takes it for one word. */
function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
