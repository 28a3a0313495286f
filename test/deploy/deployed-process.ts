import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { get as getSecure } from 'node:https';
import { fileURLToPath } from 'node:url';
import { systemRandom } from '@quartermaster/kernel';
import type { Container } from '@quartermaster/kube/shapes';
import { freePorts } from '../kube/free-ports.ts';

const executable = fileURLToPath(new URL('../../apps/quartermaster/src/main.ts', import.meta.url));
/** Only this machine, written so that a role takes it for an address that others can reach. */
const loopback = '127.1';

/** What a kubelet would bring to the container. */
export interface PodSurroundings {
  /** Path in the container -> folder of this machine. */
  readonly mounts: Readonly<Record<string, string>>;
  /** Variables that come from Secrets and from the pod itself. */
  readonly env: Readonly<Record<string, string>>;
  readonly kubeconfig: string;
  /** Settings that make a test quick, after those of the container. */
  readonly args?: readonly string[] | undefined;
}

export interface DeployedProcess {
  /** Name of a port of the container -> where it is on 127.0.0.1. */
  readonly ports: ReadonlyMap<string, number>;
  /** The status of each probe of the container, asked as the kubelet asks. */
  probe(): Promise<readonly (number | undefined)[]>;
  /** Asks it to end, as a kubelet does, and resolves with its exit code. Idempotent. */
  stop(): Promise<unknown>;
}

/** The executable, as the container of a workload runs it. */
export async function startDeployed(container: Container, surroundings: PodSurroundings): Promise<DeployedProcess> {
  const named = container.ports ?? [];
  const free = await freePorts(named.length, systemRandom);
  const ports = new Map(named.map(({ name = '' }, index) => [name, free[index] ?? 0]));
  const here = (text: string): string =>
    Object.entries(surroundings.mounts).reduce((path, [inside, folder]) => path.replace(inside, folder), text);
  const args = (container.args ?? []).map((arg) => {
    const port = named.find(({ containerPort }) => arg.endsWith(`-port=${containerPort}`));
    return port === undefined ? here(arg).replace('=0.0.0.0', `=${loopback}`) : arg.replace(/\d+$/, String(ports.get(port.name ?? '')));
  });
  const env = (container.env ?? []).map(({ name, value }) => [name, value === undefined ? surroundings.env[name] : here(value)]);
  const child = spawn(process.execPath, [executable, ...args, ...(surroundings.args ?? [])], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env['PATH'], ...Object.fromEntries(env), KUBECONFIG: surroundings.kubeconfig },
  });
  const exit = once(child, 'exit');
  const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe].flatMap((probe) => probe?.httpGet ?? []);
  return {
    ports,
    probe: async () =>
      await Promise.all(
        probes.map(({ scheme, port, path }) => {
          const place = `127.0.0.1:${ports.get(String(port))}${path}`;
          return probeStatus(`${scheme === 'HTTPS' ? 'https' : 'http'}://${place}`);
        }),
      ),
    stop: async () => {
      child.kill('SIGTERM');
      const [code]: unknown[] = await exit;
      return code;
    },
  };
}

/** As a kubelet asks: whoever signed the certificate. */
function probeStatus(url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const call = url.startsWith('https:') ? getSecure(url, { agent: false, rejectUnauthorized: false }) : get(url, { agent: false });
    call.once('response', (response) => {
      response.resume();
      response.once('close', () => resolve(response.statusCode));
    });
    call.once('error', () => resolve(undefined));
  });
}
