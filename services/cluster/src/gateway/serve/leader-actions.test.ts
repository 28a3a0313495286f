import type { DescMethodUnary } from '@bufbuild/protobuf';
import { invalidFields, messageOf, StatusError } from '@quartermaster/kernel';
import type { CallContext } from '@quartermaster/rpc';
import { describe, expect, it } from 'vitest';
import { order } from '../../../test/filled-book.ts';
import type { LeaseActions } from '../../leases/lease-action-types.ts';
import { leaderActions } from './leader-actions.ts';

const amys = order('amy', 7n);
const manifest = { json: '[]', confirmed: ['web/data'] };
const { signal } = new AbortController();

/** With a leader elsewhere, unless it is here. */
function gateway({ here, fails }: { readonly here?: Partial<LeaseActions>; readonly fails?: Error } = {}) {
  const [sent, warned]: [unknown[], unknown[]] = [[], []];
  const actions = leaderActions({
    actions: () => here as LeaseActions | undefined,
    leader: {
      send: async (method: DescMethodUnary, request: unknown, context: CallContext): Promise<never> => {
        sent.push([method.name, request, context.header('authorization'), context.header('cookie'), context.identity.kind]);
        if (fails !== undefined) throw fails;
        return {} as never;
      },
    } as never,
    ownToken: async () => 'of-this-service',
    log: { warn: (_message, facts) => void warned.push(facts) },
  });
  return { actions, sent, warned };
}
const thrownBy = (act: Promise<void>): Promise<unknown> =>
  act.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
const kube = (code: 'unavailable' | 'invalid_argument' | 'not_found', message: string) =>
  new StatusError(code, message, { details: { kind: 'invalid' } });

describe('what only the leader does', () => {
  it('is done here while this replica leads', async () => {
    const done: unknown[] = [];
    const here: Partial<LeaseActions> = {
      submitManifest: async (...asked) => void done.push(asked),
      transferHostname: async (...asked) => {
        done.push(asked);
        return undefined as never;
      },
    };
    const { actions, sent } = gateway({ here });
    await actions.submitManifest(amys, manifest, signal);
    await actions.transferHostname(amys, { hostname: 'a.example', service: 'web' }, signal);
    expect(done).toEqual([
      [amys, manifest, signal],
      [amys, { hostname: 'a.example', service: 'web', externalPort: 80, isStatic: false }, signal],
    ]);
    expect(sent).toEqual([]);
  });

  it('is else done by the leader, which is shown who this service is and nothing of the tenant', async () => {
    const { actions, sent } = gateway();
    await actions.submitManifest(amys, manifest, signal);
    await actions.transferHostname(amys, { hostname: 'a.example', service: 'web' }, signal);
    const shown = ['Bearer of-this-service', undefined, 'anonymous'];
    expect(sent).toEqual([
      ['SubmitManifest', { order: amys, manifest: '[]', confirm: ['web/data'] }, ...shown],
      ['TransferHostname', { order: amys, hostname: 'a.example', service: 'web' }, ...shown],
    ]);
  });

  it.each([
    new StatusError('failed_precondition', 'the manifest is not the one of the market', {
      details: { fieldViolations: [{ field: 'manifest', description: 'x' }] },
    }),
    new StatusError('not_found', 'the market knows no lease of it'),
    new StatusError('aborted', 'a.example is being claimed: try again'),
    invalidFields([{ field: 'manifest', description: 'is empty' }]),
  ])('tells the tenant what is in its way: $message', async (error) => {
    const here = { submitManifest: () => Promise.reject(error) };
    expect(await thrownBy(gateway({ fails: error }).actions.submitManifest(amys, manifest, signal))).toBe(error);
    expect(await thrownBy(gateway({ here }).actions.submitManifest(amys, manifest, signal))).toBe(error);
  });

  it.each([
    new StatusError('unavailable', 'replica-1 does not lead, and the leader is at 10.0.0.7:9443', { details: { retryAfterMs: 1_000 } }),
    new StatusError('unauthenticated', 'the token of 10.0.0.7 has expired'),
    new StatusError('permission_denied', 'service-cluster at 10.0.0.7 may not'),
    new StatusError('resource_exhausted', '10.0.0.7 asks too often'),
    new StatusError('invalid_argument', 'create manifests lease-x: admission webhook at 10.0.0.7 denied it'),
    kube('unavailable', 'no answer from 10.0.0.7'),
    kube('invalid_argument', 'create manifests: 10.0.0.7'),
    kube('not_found', 'namespace at 10.0.0.7'),
  ])('tells the tenant nothing of what is in its own way: $message', async (error) => {
    const here = { submitManifest: () => Promise.reject(error) };
    for (const { actions, warned } of [gateway({ fails: error }), gateway({ here })]) {
      const thrown = await thrownBy(actions.submitManifest(amys, manifest, signal));
      expect(thrown).toMatchObject({ code: 'unavailable', message: expect.not.stringContaining('10.0.0.7') });
      // For the provider it is all there.
      expect(messageOf(thrown)).toContain('10.0.0.7');
      expect(warned).toEqual([{ error: expect.stringContaining('10.0.0.7') }]);
    }
  });

  it('leaves a bug a bug', async () => {
    const bug = new TypeError('x is not a function');
    expect(await thrownBy(gateway({ fails: bug }).actions.submitManifest(amys, manifest, signal))).toBe(bug);
  });
});
