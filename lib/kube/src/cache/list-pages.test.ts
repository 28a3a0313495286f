import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { json, pod, ScriptedServer } from '../../test/scripted-server.ts';
import { kinds } from '../generated/kinds.ts';
import { staticCredentials } from '../transport/static-credentials.ts';
import { KubeTransport } from '../transport/transport.ts';
import { answerDecoder } from './answer-decoder.ts';
import { listPages } from './list-pages.ts';
import { PageSize } from './page-size.ts';

const page = (name: string, next: string) =>
  json(200, { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '10', continue: next }, items: [pod(name, '5')] });

describe('listPages', () => {
  it('sends the request for the next page before it parses one', async () => {
    const server = await ScriptedServer.start({ lists: [page('a', 'second'), page('b', 'third'), page('c', '')], watches: [] });
    onTestFinished(() => server.stop());
    const credentials = staticCredentials({ server: server.url });
    onTestFinished(() => credentials.close());
    const seen: string[] = [];
    const sent = (message: unknown): void => {
      const { request } = message as { readonly request: { readonly origin: string; readonly path: string } };
      if (request.origin !== server.url) return;
      seen.push(`sent ${new URL(request.path, server.url).searchParams.get('continue') ?? 'first'}`);
    };
    subscribe('undici:client:sendHeaders', sent);
    onTestFinished(() => void unsubscribe('undici:client:sendHeaders', sent));
    const whole = answerDecoder(true);
    const decoder = {
      list: (body: Buffer) => {
        const list = whole.list(body);
        seen.push(`parsed ${list.items?.[0]?.metadata?.name}`);
        return list;
      },
    };
    const reader = { transport: new KubeTransport({ credentials }), decoder, pageSize: new PageSize() };
    const names: (string | undefined)[] = [];
    for await (const { items } of listPages(reader, kinds.pods, {})) names.push(items?.[0]?.metadata?.name);
    expect(names).toEqual(['a', 'b', 'c']);
    expect(seen).toEqual(['sent first', 'sent second', 'parsed a', 'sent third', 'parsed b', 'parsed c']);
  });
});
