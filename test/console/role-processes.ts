import { join } from 'node:path';
import { systemRandom } from '@quartermaster/kernel';
import { vi } from 'vitest';
import { freePorts } from '../kube/free-ports.ts';
import { statusOf } from '../kube/loopback.ts';
import { RunningCommand } from '../up/running-command.ts';
import type { ConsoleSite } from './console-roles.ts';

export interface RoleProcessOptions {
  /** What the executable is told to run: `['operator', 'inventory']`. */
  readonly role: readonly [string, ...string[]];
  readonly args?: readonly string[] | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/** A role of the executable as a process of its own. */
export interface RoleProcess {
  /** Of its REST API, or of the page; with TLS. */
  readonly url: string;
  /** Of its probes and metrics. */
  readonly admin: string;
  /** All that it has written so far. */
  said(): string;
  /** As Ctrl-C would; resolves with the exit code. Idempotent. */
  stop(): Promise<unknown>;
}

/** Starts it with TLS, by the certificate of the site, and with every line of its log. Does not wait until it is ready. */
export async function startRoleProcess(site: ConsoleSite, { role, args = [], env = {} }: RoleProcessOptions): Promise<RoleProcess> {
  const prefix = role.at(-1) ?? '';
  const [port = 0, adminPort = 0] = await freePorts(2, systemRandom);
  const ports = prefix === 'console' ? [`--console-port=${port}`] : [`--${prefix}-rest-port=${port}`, `--${prefix}-grpc-port=0`];
  const tls = ['cert', 'key'].map((half) => `--${prefix}-tls-${half}-file=${join(site.folder, half === 'cert' ? 'tls.crt' : 'tls.key')}`);
  const command = new RunningCommand([...role, ...ports, ...tls, `--admin-port=${adminPort}`, '--log-level=debug', ...args], env);
  return {
    url: `https://127.0.0.1:${port}`,
    admin: `http://127.0.0.1:${adminPort}`,
    said: () => command.out + command.err,
    stop: () => command.interrupt(),
  };
}

/** Resolves when it is ready; fails with its words when it is not in time. */
export async function untilReady(site: ConsoleSite, { url, said }: Pick<RoleProcess, 'url' | 'said'>): Promise<void> {
  const { certificate: authority } = site.authority;
  const look = async (): Promise<void> => {
    const status = await statusOf(`${url}/readyz`, { authority });
    if (status !== 200) throw new Error(`it is not ready (${status}) and says: ${said().slice(-2_000)}`);
  };
  await vi.waitFor(look, { timeout: 40_000, interval: 100 });
}
