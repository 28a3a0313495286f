import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { adminIdentity } from './client-kubeconfigs.ts';
import type { ContractServer } from './contract-server.ts';

interface Answer {
  readonly code: number | undefined;
  readonly body: { readonly message?: string; readonly reason?: string; readonly data?: unknown };
}

/** Bodies that no client of ours sends, byte for byte, and what they are answered with. */
export function describeOddBodies(server: () => ContractServer): void {
  const json = 'application/json';
  const merge = 'application/merge-patch+json';
  const strategic = 'application/strategic-merge-patch+json';

  async function send(method: string, path: string, type: string, body = ''): Promise<Answer> {
    const { server: url, certificateAuthority: ca, certificate: cert, key } = await adminIdentity(server());
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const headers = { 'content-type': type, 'content-length': Buffer.byteLength(body) };
    request(`${url}${path}`, { method, headers, ca, cert, key, agent: false }, (answer) => {
      text(answer).then((all) => resolve({ code: answer.statusCode, body: JSON.parse(all) as Answer['body'] }), reject);
    })
      .once('error', reject)
      .end(body);
    return await promise;
  }

  /** The path of a new config map. */
  async function newConfigMap(): Promise<string> {
    const path = `/api/v1/namespaces/${await server().namespace()}/configmaps`;
    expect(await send('POST', path, json, '{"metadata":{"name":"patched"},"data":{"a":"b"}}')).toMatchObject({ code: 201 });
    return `${path}/patched`;
  }

  describe('a patch', () => {
    it.each([
      ['an unknown directive', strategic, '{"$patch":"nope","data":{"a":"c"}}', 500, 'unknown patch type'],
      ['an unknown directive of a map', strategic, '{"data":{"$patch":"nope","a":"c"}}', 500, 'unknown patch type'],
      ['a directive that is no text', strategic, '{"$patch":5}', 500, 'unknown patch type'],
      ['an order that is no list', strategic, '{"metadata":{"$setElementOrder/finalizers":5}}', 500, 'expected a '],
      ['keys to retain that are no list', strategic, '{"data":{"$retainKeys":5,"a":"c"}}', 400, 'invalid patch format of retainKeys'],
      [
        'the deletion of everything',
        strategic,
        '{"$patch":"delete"}',
        400,
        'the name of the object (patched based on URL) was undeterminable: name must be provided',
      ],
      [
        'another name',
        merge,
        '{"metadata":{"name":"other"}}',
        400,
        'the name of the object (other) does not match the name on the URL (patched)',
      ],
    ])('with %s is refused and changes nothing', async (_, type, body, code, message) => {
      const path = await newConfigMap();
      const answer = await send('PATCH', path, type, body);
      expect([answer.code, answer.body.message]).toEqual([code, expect.stringContaining(message)]);
      expect((await send('GET', path, json)).body.data).toEqual({ a: 'b' });
    });
  });

  describe('a body', () => {
    const nested = (levels: number): string => `{"metadata":{"name":"deep"},"unknown":${'['.repeat(levels)}${']'.repeat(levels)}}`;

    it('may have 10 000 levels and no more', async () => {
      const path = `/api/v1/namespaces/${await server().namespace()}/configmaps?dryRun=All`;
      expect(await send('POST', path, json, nested(9_999))).toMatchObject({ code: 201 });
      expect(await send('POST', path, json, nested(10_000))).toMatchObject({ code: 400, body: { reason: 'BadRequest' } });
      // Brackets of texts open nothing.
      const brackets = JSON.stringify({ metadata: { name: 'deep' }, data: { a: `\\"${'['.repeat(20_000)}` } });
      expect(await send('POST', path, json, brackets)).toMatchObject({ code: 201 });
    });
  });
}
