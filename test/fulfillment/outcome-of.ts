import type { DescMethod } from '@bufbuild/protobuf';
import { codeOf, messageOf, StatusError } from '@quartermaster/kernel';
import type { RpcChannel } from '@quartermaster/rpc';

/** Something that no allowed caller is refused for want of a right, and that changes nothing. */
const requests: Readonly<Record<string, object>> = {
  Get: { id: 'missing' },
  Delete: { id: 'missing' },
  Signal: { id: 'missing' },
  Update: { object: { id: 'missing' } },
  Create: { object: { id: 'not an id' }, dryRun: true },
  Watch: { token: 'not a token' },
  ApplyHosts: { source: 'bcm', dryRun: true },
  ClaimHosts: { cluster: 'missing', nodeSet: 'w' },
  ReleaseHosts: { cluster: 'missing' },
};

export const requestOf = (method: DescMethod): object =>
  method.name.startsWith('Get') ? { id: 'missing' } : (requests[method.name] ?? {});

type Call = (request: object) => Promise<unknown> | AsyncIterable<unknown>;

/** What became of a call: `ok` or the code of its failure. */
export async function outcomeOf(
  channel: RpcChannel,
  method: DescMethod,
  request: object,
): Promise<{ readonly code: string; readonly message: string }> {
  const client = channel.client(method.parent) as Readonly<Record<string, Call>>;
  const call = client[method.localName];
  if (call === undefined) throw new Error(`the client has no ${method.localName}`);
  try {
    const answer = call(withoutUnknown(method, request));
    if (Symbol.asyncIterator in answer) for await (const _ of answer) break;
    else await answer;
    return { code: 'ok', message: '' };
  } catch (thrown) {
    if (!(thrown instanceof StatusError)) throw thrown;
    return { code: codeOf(thrown), message: messageOf(thrown) };
  }
}

function withoutUnknown({ input }: DescMethod, request: object): object {
  return Object.fromEntries(Object.entries(request).filter(([name]) => input.field[name] !== undefined));
}
