export interface KubectlCommand {
  readonly command: string;
  readonly why: string;
}

/** What to type to look at the same cluster with kubectl. */
export function kubectlCommands(kubeconfig: string): readonly KubectlCommand[] {
  return [
    { command: `export KUBECONFIG=${shellWord(kubeconfig)}`, why: 'once in each terminal' },
    { command: 'kubectl get nodes', why: 'list the nodes' },
    { command: 'kubectl get pods --all-namespaces --watch', why: 'watch all pods' },
    { command: 'kubectl create deployment hello --image=nginx --replicas=3', why: 'start something to watch' },
  ];
}

/** Quoted only where a shell would read it otherwise. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
