import { readFileSync } from 'node:fs';
import type { Log } from '@quartermaster/kernel';
import { startSimulatedServer } from '@quartermaster/simulator';
import { writeWhole } from '../files/write-whole.ts';
import { isPortFree } from '../run/check-port.ts';
import type { KubeletIdentity } from './cluster-settings.ts';

export interface SimulatedApi {
  readonly kubelet: KubeletIdentity;
  stop(): Promise<void>;
}

export interface SimulatedApiOptions {
  readonly directory: string;
  /** Written when the server serves. */
  readonly kubeconfig: string;
  readonly seed: number;
  readonly log: Log;
}

/** Starts the simulated API server, on the port of the last time if nobody took it, so that clients of then find it again. */
export async function startSimulatedApi({ directory, kubeconfig, seed, log }: SimulatedApiOptions): Promise<SimulatedApi> {
  const lastPort = portOf(kubeconfig);
  const port = lastPort !== undefined && (await isPortFree(lastPort)) ? lastPort : undefined;
  const server = await startSimulatedServer({ port, dataDirectory: directory, seed, metrics: true, log });
  try {
    const identity = await server.issueCertificate({ commonName: 'simulated-kubelet', hosts: ['127.0.0.1'] });
    writeWhole(kubeconfig, server.kubeconfig);
    return { kubelet: { ...identity, clientAuthority: server.certificateAuthority }, stop: () => server.stop() };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function portOf(kubeconfig: string): number | undefined {
  try {
    const port = /server: https:\/\/127\.0\.0\.1:(\d+)/.exec(readFileSync(kubeconfig, 'utf8'))?.[1];
    return port === undefined ? undefined : Number(port);
  } catch {
    return undefined;
  }
}
