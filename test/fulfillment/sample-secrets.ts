/** A kubeconfig that the rules accept, with a secret in it. */
export function kubeconfigOf(secret: string): string {
  return [
    'apiVersion: v1',
    'kind: Config',
    'current-context: a',
    'contexts: [{name: a, context: {cluster: a, user: a}}]',
    'clusters: [{name: a, cluster: {server: "https://127.0.0.1"}}]',
    `users: [{name: a, user: {token: ${secret}}}]`,
    '',
  ].join('\n');
}
