import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Log } from '@quartermaster/kernel';
import { startSimulatedServer } from '@quartermaster/simulator';
import { isPortFree } from '../run/check-port.ts';
import type { KubeletIdentity } from './kubelet-identity.ts';

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

/** Who reads the file meanwhile gets the old one or the new one. */
function writeWhole(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, file);
}

function portOf(kubeconfig: string): number | undefined {
  try {
    const port = /server: https:\/\/127\.0\.0\.1:(\d+)/.exec(readFileSync(kubeconfig, 'utf8'))?.[1];
    return port === undefined ? undefined : Number(port);
  } catch {
    return undefined;
  }
}
