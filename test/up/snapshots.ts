import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeRow, SummaryHead } from '@quartermaster/api/inventory-views';
import type { Installation } from '@quartermaster/console';
import { StatusError } from '@quartermaster/kernel';
import { ConsoleBrowser } from '../console/console-browser.ts';
import type { RunningUp } from './running-up.ts';

interface PodFound {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
}

/** The console of a running `up`, as its administrator sees it. */
export class AdminConsole {
  readonly #browser = new ConsoleBrowser(undefined);
  readonly #url: string;

  private constructor(url: string) {
    this.#url = url;
  }

  /** Signs in with the token of the data directory. */
  static async open(url: string, dataDir: string): Promise<AdminConsole> {
    const console = new AdminConsole(url);
    const token = readFileSync(join(dataDir, 'fulfillment', 'tokens', 'admin'), 'utf8').trim();
    const answer = await console.#browser.send('POST', `${url}/api/session`, { body: { token } });
    const said = await answer.text();
    if (!answer.ok)
      throw new StatusError('unavailable', `the console at ${url} did not let its administrator in: ${answer.status} ${said}`);
    return console;
  }

  async get<T>(path: string): Promise<T> {
    const answer = await this.#browser.send('GET', this.#url + path);
    if (!answer.ok) throw new StatusError('unavailable', `${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  async installation(): Promise<Installation> {
    return await this.get('/api/console/v1/installation');
  }

  async summary(): Promise<SummaryHead> {
    return (await this.#view<SummaryHead, never>('summary')).head;
  }

  async nodes(): Promise<readonly NodeRow[]> {
    return (await this.#view<object, NodeRow>('nodes')).rows;
  }

  /** Pods whose names hold the text. */
  async pods(text: string): Promise<readonly PodFound[]> {
    return (await this.get<{ readonly pods: readonly PodFound[] }>(`/api/console/v1/pod-names?query=${encodeURIComponent(text)}&limit=50`))
      .pods;
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }

  async #view<Head, Row>(view: string): Promise<{ head: Head; rows: readonly Row[] }> {
    const { state } = await this.get<{ readonly state?: { head: Head; rows: readonly Row[] } }>(`/api/inventory/v1/view?view=${view}`);
    if (state === undefined) throw new StatusError('unavailable', `the console at ${this.#url} does not know ${view} yet`);
    return state;
  }
}

/** The process that plays the cluster of an `up`. */
export async function playerOf(up: RunningUp, dataDir: string): Promise<number> {
  const admin = await AdminConsole.open((await up.ready()).console, dataDir);
  try {
    const { parts } = await admin.installation();
    return Number(parts.find(({ name }) => name === 'simulated cluster')?.facts['pid']);
  } finally {
    await admin.close();
  }
}

const pollIntervalMs = 100;

/** Resolves as soon as the condition holds. Throws when it does not within `withinMs`. */
export async function expectSoon(condition: () => Promise<boolean> | boolean, withinMs = 30_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new StatusError('unavailable', `not within ${withinMs} ms: ${condition.toString()}`);
    await new Promise<void>((resolve) => {
      setTimeout(resolve, pollIntervalMs);
    });
  }
}
