import { Agent, get } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import type { TenantLease } from './protocol.ts';

/** Each of them as often, over a connection of its own that stays: so a call every five milliseconds, and never more at once than callers. */
const [callers, everyMs] = [2, 10];

export interface AskedStatus {
  /** Of the gateway. */
  readonly address: string;
  readonly ca: string;
  readonly lease: TenantLease;
}

/** How long each answer took, in ms, while the status of a lease was asked for all the time. */
export async function statusTimes(asked: AskedStatus, seconds: number): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: callers, ca: asked.ca });
  const times: number[] = [];
  const endsAt = performance.now() + seconds * 1000;
  const keepAsking = async (): Promise<void> => {
    for (let askedAt = performance.now(); askedAt < endsAt; askedAt = performance.now()) {
      await askStatus(asked, agent);
      const tookMs = performance.now() - askedAt;
      times.push(tookMs);
      await pause(Math.max(0, everyMs - tookMs));
    }
  };
  try {
    await Promise.all(Array.from({ length: callers }, keepAsking));
  } finally {
    agent.destroy();
  }
  return times;
}

async function askStatus({ address, lease: { dseq, token, services } }: AskedStatus, agent: Agent): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const url = `https://${address}/lease/${dseq}/1/1/status`;
  get(url, { agent, headers: { authorization: `Bearer ${token}` } }, (answer) => {
    answer.setEncoding('utf8');
    let text = '';
    answer.on('data', (part: string) => (text += part));
    answer.on('error', reject);
    answer.on('end', () => {
      const told = answer.statusCode === 200 ? (JSON.parse(text) as { readonly services: object }).services : {};
      if (Object.keys(told).length === services.length) resolve();
      else reject(new Error(`the status of a lease is ${answer.statusCode} ${text}`));
    });
  }).on('error', reject);
  await promise;
}
