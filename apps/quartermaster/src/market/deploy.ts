import type { JsonObject } from '@bufbuild/protobuf';
import { toJson } from '@bufbuild/protobuf';
import { BidChoice, type Deployment, DeploymentSchema, Deployments, Sdl, SdlFaultSchema } from '@quartermaster/api/market';
import { type Clock, fieldViolationsOf, messageOf, StatusError, systemClock } from '@quartermaster/kernel';
import { type NamedFile, readNamedFile } from '../files/named-file.ts';
import { isReported, refusalOf, waitingFor } from '../fulfillment/kinds/delivery-text.ts';
import { groupsOf, groupsTable, mostOf, orderAt, pricesText } from '../fulfillment/kinds/market-text.ts';
import { type ApiConnection, connectApi, withApi } from '../fulfillment/objects/api-connection.ts';
import { answered } from '../fulfillment/objects/object-client.ts';
import { objectDocument, objectJson } from '../fulfillment/objects/object-json.ts';
import type { ServerFlags } from '../server/server-flags.ts';
import { formatDocument } from '../text/format-document.ts';
import { textAt } from '../text/json-path.ts';
import type { Output } from '../text/output.ts';
import { unansweredText } from './follow-below.ts';
import { type Followed, followDeployment } from './follow-deployment.ts';
import { faultLines } from './sdl-fault-text.ts';
import { durationOf } from './wait-duration.ts';

export interface DeployFlags extends ServerFlags {
  readonly choice: 'cheapest' | 'tenant';
  readonly name?: string | undefined;
  readonly tenant?: string | undefined;
  readonly wait: boolean;
  readonly timeout?: string | undefined;
  readonly dryRun: boolean;
  readonly output: 'text' | 'json' | 'yaml';
}

/** Deploys an SDL file. Its faults, and groups that do not run in the end, are errors after they were printed. */
export async function deploy(
  [path = '']: readonly string[],
  flags: DeployFlags,
  output: Output,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<void> {
  const file = readNamedFile(path, path);
  const timeoutMs = flags.timeout === undefined ? undefined : await durationOf(flags.timeout);
  const made = await withApi(flags, (connection) => make(connection, file, flags, output, signal), 'market');
  const json = objectJson(DeploymentSchema, made);
  const isText = flags.output === 'text';
  const document = objectDocument({ message: 'Deployment' }, DeploymentSchema, made);
  if (isText) output.out.write(madeText(json, flags));
  if (!flags.wait || flags.dryRun) {
    if (flags.output !== 'text') output.out.write(formatDocument({ deployment: document }, flags.output));
    return;
  }
  const followed = await followDeployment(
    {
      id: made.id,
      groups: groupsOf(json).length,
      connect: () => connectApi(flags, 'market'),
      tell: (line) => (isText ? output.out.write(`${line}\n`) : undefined),
      warn: (line) => output.err.write(`quartermaster: ${line}; trying again\n`),
      timeoutMs,
      clock,
    },
    signal,
  );
  if (flags.output !== 'text') output.out.write(formatDocument({ deployment: document, ...followed.documents }, flags.output));
  const problem = problemOf(made.id, followed, signal);
  if (problem !== undefined) throw problem;
}

async function make(
  connection: ApiConnection,
  { text, source }: NamedFile,
  flags: DeployFlags,
  { out, err }: Output,
  signal: AbortSignal,
): Promise<Deployment> {
  const { faults } = await connection.client(Sdl).check({ sdl: text }, { signal });
  if (faults.length > 0) {
    if (flags.output === 'text') err.write(faultLines(faults, source));
    else
      out.write(
        formatDocument({ faults: faults.map((fault) => toJson(SdlFaultSchema, fault, { alwaysEmitImplicit: true })) }, flags.output),
      );
    throw new StatusError(
      'invalid_argument',
      `${source} has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}: nothing was deployed`,
    );
  }
  const tenant = flags.tenant ?? ofRunningUp(connection, flags, err);
  const object = {
    metadata: { name: flags.name ?? '', tenants: tenant === undefined ? [] : [tenant] },
    spec: { sdl: text, choice: flags.choice === 'tenant' ? BidChoice.TENANT : BidChoice.CHEAPEST },
  };
  try {
    const answer = await connection.client(Deployments).create({ object, dryRun: flags.dryRun }, { signal });
    return answered(answer.object) as Deployment;
  } catch (thrown) {
    const failure = connection.explained(thrown);
    if (fieldViolationsOf(failure).some(({ field }) => field === 'metadata.tenants'))
      throw new StatusError('invalid_argument', `${messageOf(failure)}, with --tenant NAME`);
    throw flags.dryRun ? failure : ofUnknownOutcome(failure);
  }
}

/** A scenario has tenants to try things as: the first, unless another is named. */
function ofRunningUp({ server }: ApiConnection, { output }: DeployFlags, err: Output['err']): string | undefined {
  const [tenant, ...others] = (server.tenants ?? []).map(({ name }) => name);
  if (tenant === undefined) return undefined;
  if (output === 'text') err.write(`As tenant ${tenant}${others.length === 0 ? '' : `; --tenant ${others.join('|')} is another`}.\n`);
  return tenant;
}

/** Nobody heard whether there is a deployment now: to deploy again without a look may make two. */
function ofUnknownOutcome(failure: unknown): unknown {
  if (!(failure instanceof StatusError) || failure.code !== 'unavailable') return failure;
  const way = 'it may have been deployed all the same: see "quartermaster get deployments" before you deploy it again';
  return new StatusError('unavailable', `${failure.message}; ${way}`, { cause: failure });
}

function madeText(deployment: JsonObject, { dryRun, wait, choice }: DeployFlags): string {
  const id = textAt(deployment, 'id');
  const groups = groupsOf(deployment);
  const cost = `It costs at most ${pricesText(mostOf(groups))}.\n`;
  if (dryRun) return `${groupsTable(groups)}\n${cost}Dry run: nothing was ordered.\n`;
  const next = choice === 'tenant' ? 'accept a bid with "quartermaster accept BID"' : 'the market takes the cheapest bid for each group';
  const follow = wait ? '' : `"quartermaster describe deployment ${id}" shows who bids; ${next}.\n`;
  return `deployment ${id} created\n${groupsTable(groups, id)}\n${cost}${follow}`;
}

/** Why not every group runs; undefined when each does. */
function problemOf(
  id: string,
  { isRead, open, closed, starting, refused, isDecided, documents }: Followed,
  signal: AbortSignal,
): StatusError | undefined {
  const look = `"quartermaster describe deployment ${id}" shows it`;
  if (!isRead) return new StatusError('unavailable', `${unansweredText(signal)}; the deployment stays: ${look}`);
  if (closed.length > 0) {
    const reasons = closed.map(
      (order) => `order ${textAt(order, 'id')} was closed without a lease: ${textAt(order, 'status.closed_reason')}`,
    );
    return new StatusError('failed_precondition', `${reasons.join('; ')}; ${look}`);
  }
  if (refused.length > 0) {
    const reasons = refused.map((lease) => `the provider of lease ${textAt(lease, 'id')} refuses the manifest: ${refusalOf(lease)}`);
    return new StatusError('failed_precondition', `${reasons.join('; ')}; "quartermaster lease update ${id} FILE" sends another`);
  }
  if (isDecided) return undefined;
  const waiting = open.map((order) => {
    const bids = documents.bids.filter((bid) => textAt(bid, 'id').startsWith(`${textAt(order, 'id')}-`)).length;
    const why =
      bids === 0
        ? `nobody has bid (a provider sees why with "quartermaster explain bid ${orderAt(order)}")`
        : `${bids} bid${bids === 1 ? '' : 's'}, none accepted`;
    return `order ${textAt(order, 'id')} is still open: ${why}`;
  });
  const slow = starting.map((lease) => {
    const why = isReported(lease) ? waitingFor(lease) : 'its provider has not reported on it yet';
    return `lease ${textAt(lease, 'id')} does not run yet: ${why}`;
  });
  const end = signal.aborted ? 'interrupted' : 'timed out';
  return new StatusError('unavailable', `${[end, ...waiting, ...slow].join('; ')}; the deployment stays: ${look}`);
}
