/** The part of `npm run kube` that runs on Node 24: a control plane for a person, until Ctrl-C. */
import { kubeBinary } from './binaries.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';

/** Nothing else keeps this process alive while a person works with the control plane. */
function untilInterrupted(): Promise<void> {
  return new Promise((resolve) => {
    const alive = setInterval(() => {}, 60_000);
    const end = (): void => {
      clearInterval(alive);
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  });
}

function describeUse({ kubeconfig, server, directory }: ControlPlane): string {
  const kubectl = kubeBinary('kubectl');
  return `
A Kubernetes control plane runs at ${server}
(etcd, kube-apiserver, kube-controller-manager, kube-scheduler; no nodes, so pods stay Pending).

  kubeconfig  ${kubeconfig}
  kubectl     ${kubectl}
  logs        ${directory}/*.log

In another terminal:

  export KUBECONFIG=${kubeconfig}
  alias kubectl=${kubectl}
  kubectl version
  kubectl create deployment web --image=nginx --replicas=3
  kubectl get deployments,replicasets,pods

Ctrl-C stops everything and removes its data.
`;
}

async function main(): Promise<void> {
  const interrupted = untilInterrupted();
  const startedMs = performance.now();
  const starting = startControlPlane({ onProgress: (text) => console.log(`${text} ...`) });
  const controlPlane = await Promise.race([starting, interrupted]);
  // Interrupted before it was ready: the supervisor stops what runs as soon as this process is gone.
  if (controlPlane === undefined) process.exit(130);
  console.log(`ready after ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
  console.log(describeUse(controlPlane));
  await interrupted;
  console.log('\nstopping ...');
  await controlPlane.stop();
  console.log(`stopped; ${controlPlane.directory} is removed`);
}

await main();
