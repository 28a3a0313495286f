import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ownKey } from '../session/own-key.ts';
import { callApi } from './call-api.ts';
import { sessionEndedEvent } from './renew-session.ts';

const refusal = (reason?: string) => ({ code: 'unauthenticated', message: 'no', details: { reason } });

describe('a write that is refused', () => {
  /** What was sent: method, path, the key that was shown. */
  let sent: string[];
  let told: string[];
  let answers: (readonly [number, object])[];

  beforeEach(() => {
    [sent, told, answers] = [[], [], []];
    const page = new EventTarget();
    page.addEventListener(sessionEndedEvent, () => told.push('ended'));
    const stored = new Map<string, string>();
    const localStorage = {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, value: string) => void stored.set(name, value),
    };
    vi.stubGlobal('window', Object.assign(page, { localStorage }));
    vi.stubGlobal('fetch', async (path: string, { method = 'GET', headers }: { method?: string; headers: Record<string, string> }) => {
      sent.push(`${method} ${path} ${headers['x-quartermaster-console']}`);
      const [status, body] = answers.shift() ?? [500, {}];
      return new Response(JSON.stringify(body), { status });
    });
    ownKey.keep('of-ann');
  });
  afterEach(() => vi.unstubAllGlobals());

  const write = () => callApi('/api/private/v1/hosts', { method: 'POST', body: {} });

  it('is sent again, with the same key, when the session could be renewed', async () => {
    answers = [
      [401, refusal()],
      [200, { kind: 'signed-in' }],
      [200, { id: 'h' }],
    ];
    expect(await write()).toEqual({ id: 'h' });
    const post = 'POST /api/private/v1/hosts of-ann';
    expect(sent).toEqual([post, 'GET /api/session of-ann', post]);
  });

  it('is never sent again when another tab signed somebody else in, and the page is told', async () => {
    answers = [[401, refusal('SESSION_REPLACED')]];
    await expect(write()).rejects.toMatchObject({ code: 'unauthenticated' });
    answers = [
      [401, refusal()],
      [200, { kind: 'other' }],
    ];
    await expect(write()).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(sent.filter((line) => line.startsWith('POST'))).toHaveLength(2);
    expect(told).toEqual(['ended', 'ended']);
  });
});
