import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface StrangerOrders {
  readonly files: readonly string[];
  readonly ports: readonly number[];
  /** Asked for by HTTP and HTTPS, with every verb. */
  readonly paths: readonly string[];
}

/** One thing that was tried, and what came of it. */
export interface Try {
  readonly port: number;
  readonly what: string;
  /** An HTTP status (0: none), a code of gRPC, `answered`, `silent`, `refused` or `closed`. */
  readonly outcome: string;
  readonly type: string;
  readonly text: string;
}

export interface StrangerReport {
  readonly uid: number;
  /** Path -> what was read, or why it could not be. */
  readonly files: readonly (readonly [string, string])[];
  readonly tries: readonly Try[];
}

/** What another account of this machine gets. */
export async function tryAsStranger(orders: StrangerOrders): Promise<StrangerReport> {
  const child = fork(fileURLToPath(new URL('./stranger.ts', import.meta.url)), [], { execArgv: [] });
  const ended = once(child, 'exit').then(([code]: unknown[]) => {
    throw new Error(`the stranger ended with ${String(code)} before it told what it got`);
  });
  child.send(orders);
  const [report]: unknown[] = await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => {});
  return report as StrangerReport;
}

/** The process and everything that it started. */
function familyOf(pid: number): number[] {
  const parents = new Map<number, number>(); // process -> parent
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = textOf(`/proc/${name}/stat`);
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  }
  const family = [pid];
  for (const each of family) for (const [child, parent] of parents) if (parent === each) family.push(child);
  return family;
}

/** Every TCP port on which a process or one of those that it started listens, by what the kernel says. */
export function listeningPorts(pid: number): number[] {
  const listening = new Map<string, number>(); // inode -> port
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of textOf(table).split('\n').slice(1)) {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      if (state === '0A') listening.set(inode, Number.parseInt(local.split(':')[1] ?? '', 16));
    }
  }
  const ports = familyOf(pid).flatMap((each) => {
    const sockets = entriesOf(`/proc/${each}/fd`).map((fd) => /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${each}/fd/${fd}`))?.[1] ?? '');
    return sockets.flatMap((inode) => listening.get(inode) ?? []);
  });
  return [...new Set(ports)].toSorted((a, b) => a - b);
}

/** A process may be gone by the time it is looked at. */
function orElse<T>(read: () => T, other: T): T {
  try {
    return read();
  } catch {
    return other;
  }
}

const textOf = (path: string): string => orElse(() => readFileSync(path, 'utf8'), '');
const entriesOf = (path: string): string[] => orElse(() => readdirSync(path), []);
const linkOf = (path: string): string => orElse(() => readlinkSync(path), '');
