import { Sdl } from '@quartermaster/api/market';
import { StatusError } from '@quartermaster/kernel';
import { readNamedFile } from '../files/named-file.ts';
import { type ApiConnection, withApi } from '../fulfillment/objects/api-connection.ts';
import { objectJson } from '../fulfillment/objects/object-json.ts';
import type { GatewayClient } from '../gateway/gateway-client.ts';
import { textAt } from '../text/json-path.ts';
import type { Output } from '../text/output.ts';
import { findDeployment } from './find-deployment.ts';
import { activeLeases } from './find-lease.ts';
import { type GatewayFlags, isOwn, ownClient, signedClient } from './lease-access.ts';
import { faultLines } from './sdl-fault-text.ts';

export interface SendManifestFlags extends GatewayFlags {
  /** The file is the manifest itself. */
  readonly manifest: boolean;
  /** SERVICE/VOLUME whose data may be lost. */
  readonly confirm: readonly string[];
  readonly output: 'text' | 'json';
}

interface Addressee {
  /** Lease, or the address where only that is known. */
  readonly lease: string;
  readonly client: () => Promise<GatewayClient> | GatewayClient;
}

/** A provider may take long to look at one. */
const patienceMs = 120_000;

/** Sends the manifest of a deployment for each of its leases, and says what each provider answers. */
export async function sendManifest(
  [name = '', path = '']: readonly string[],
  flags: SendManifestFlags,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  const { text, source } = readNamedFile(path, path);
  if (isOwn(flags)) {
    if (!flags.manifest)
      throw new StatusError(
        'invalid_argument',
        'SDL is read by the market, which is not asked with --gateway: give the manifest itself, with --manifest',
      );
    const [, dseq] = /^(\d+)(?:\/\d+\/\d+)?$/.exec(name) ?? [];
    if (dseq === undefined)
      throw new StatusError('invalid_argument', `with --gateway a deployment is its DSEQ, such as 7, and not "${name}"`);
    const client = ownClient(flags);
    await sendTo([{ lease: client.uri, client: () => client }], dseq, text, flags, output, signal);
    return;
  }
  const work = async (connection: ApiConnection): Promise<void> => {
    const manifest = flags.manifest ? text : await manifestOf(connection, text, source, output);
    const leases = await connection.objects('leases');
    const { id: dseq } = await findDeployment(connection, name);
    const active = (await activeLeases(leases, dseq)).map((lease) => objectJson(leases.schema, lease));
    if (active.length === 0)
      throw new StatusError('failed_precondition', `deployment ${dseq} has no active lease: nobody would take its manifest`);
    const tell = (line: string): unknown => (flags.output === 'text' ? output.err.write(line) : undefined);
    // A token is for one lease: a provider that has two groups of the deployment is sent it for each.
    const addressees = active.map((lease) => ({
      lease: textAt(lease, 'id'),
      client: async () => {
        try {
          return await signedClient(connection, lease, { scopes: ['send-manifest'] }, tell);
        } catch (thrown) {
          throw connection.explained(thrown);
        }
      },
    }));
    await sendTo(addressees, dseq, manifest, flags, output, signal);
  };
  await withApi(flags, work, 'market');
}

async function sendTo(
  addressees: readonly Addressee[],
  dseq: string,
  manifest: string,
  flags: SendManifestFlags,
  { out, err }: Output,
  signal: AbortSignal,
): Promise<void> {
  const confirmed = flags.confirm.length === 0 ? '' : `?${flags.confirm.map((each) => `confirm=${encodeURIComponent(each)}`).join('&')}`;
  const answers: { lease: string; error?: string }[] = [];
  let failure: StatusError | undefined;
  for (const { lease, client } of addressees) {
    try {
      await (await client()).put(
        `/deployment/${dseq}/manifest${confirmed}`,
        manifest,
        AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
      );
      answers.push({ lease });
      if (flags.output === 'text') out.write(`${lease} took the manifest of deployment ${dseq}\n`);
    } catch (thrown) {
      if (!(thrown instanceof StatusError)) throw thrown;
      failure ??= thrown;
      answers.push({ lease, error: thrown.message });
      if (flags.output === 'text') err.write(`${lease}: ${thrown.message}\n`);
    }
  }
  if (flags.output === 'json') out.write(`${JSON.stringify(answers, undefined, 2)}\n`);
  const failed = answers.filter(({ error }) => error !== undefined).length;
  const of = answers.length === 1 ? 'its lease has' : `${failed} of ${answers.length} leases have`;
  if (failure !== undefined)
    throw new StatusError(failure.code === 'invalid_argument' ? failure.code : 'failed_precondition', `${of} not taken the manifest`);
}

async function manifestOf(connection: ApiConnection, sdl: string, source: string, { err }: Output): Promise<string> {
  const { faults, manifest } = await connection.client(Sdl).check({ sdl });
  if (faults.length === 0) return manifest;
  err.write(faultLines(faults, source));
  const what = faults.length === 1 ? 'a fault' : `${faults.length} faults`;
  throw new StatusError('invalid_argument', `${source} has ${what}: nothing was sent`);
}
