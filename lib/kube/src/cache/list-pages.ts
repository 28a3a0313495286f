import type { ListOptions } from '../client/api.ts';
import { listRequest } from '../client/client.ts';
import type { ResourceType } from '../objects/objects.ts';
import type { KubeTransport } from '../transport/transport.ts';
import type { AnswerDecoder, DecodedList } from './answer-decoder.ts';
import { peekContinue } from './lean-json.ts';
import type { PageSize } from './page-size.ts';

export interface PageReader {
  readonly transport: Pick<KubeTransport, 'bytes'>;
  readonly decoder: Pick<AnswerDecoder, 'list'>;
  readonly pageSize: PageSize;
}

/** A list page by page. The server prepares the next page while one is parsed and taken in, where the token can be had so early. */
export async function* listPages(
  { transport, decoder, pageSize }: PageReader,
  type: ResourceType,
  options: ListOptions,
): AsyncGenerator<DecodedList> {
  const request = (token: string | undefined, leaves?: () => void): Promise<Buffer> => {
    const page = transport.bytes(listRequest(type, { ...options, limit: pageSize.limit, continue: token, guard: leaves }));
    // Whoever awaits it hears of its failure; one that was asked for early may never be awaited.
    page.catch(() => undefined);
    return page;
  };
  let page = request(undefined);
  for (;;) {
    const body = await page;
    const early = peekContinue(body);
    let next: Promise<Buffer> | undefined;
    if (early !== undefined) {
      const left = Promise.withResolvers<void>();
      next = request(early, left.resolve);
      // Parsing holds up everything else: begun now, it would hold up the request as well.
      await Promise.race([left.promise, next.catch(() => undefined)]);
    }
    const list = decoder.list(body);
    pageSize.learn(body.length, list.items?.length ?? 0);
    yield list;
    const token = list.metadata?.continue ?? '';
    if (token === '') return;
    page = next ?? request(token);
  }
}
