import { type JsonObject, toJson } from '@bufbuild/protobuf';
import {
  type Deployment,
  DeploymentSchema,
  Deployments,
  type DeploymentsPreviewResponse,
  DeploymentsPreviewResponseSchema,
} from '@quartermaster/api/market';
import { marketState } from '@quartermaster/api/states';
import { type Clock, StatusError, systemClock } from '@quartermaster/kernel';
import { readNamedFile } from '../files/named-file.ts';
import { hasRun, refusalOf, waitingFor } from '../fulfillment/kinds/delivery-text.ts';
import { type ApiConnection, connectApi, withApi } from '../fulfillment/objects/api-connection.ts';
import { answered } from '../fulfillment/objects/object-client.ts';
import { objectDocument } from '../fulfillment/objects/object-json.ts';
import type { ServerFlags } from '../server/server-flags.ts';
import { type Asked, confirm, person } from '../text/confirm.ts';
import { formatDocument } from '../text/format-document.ts';
import { textAt } from '../text/json-path.ts';
import type { Output } from '../text/output.ts';
import { table } from '../text/table.ts';
import { actAsTenant, onlyTheTenant } from './act-as-tenant.ts';
import { findDeployment } from './find-deployment.ts';
import { followBelow, type Known, newLines, tellDelivery, unansweredText } from './follow-below.ts';
import { faultLines } from './sdl-fault-text.ts';
import { durationOf } from './wait-duration.ts';

export interface LeaseUpdateFlags extends ServerFlags {
  readonly confirm: readonly string[];
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly wait: boolean;
  readonly timeout: string;
  readonly output: 'text' | 'json' | 'yaml';
}

interface Updated {
  readonly deployment: Deployment;
  readonly preview: DeploymentsPreviewResponse;
}

/** Has the leases of a deployment run what another SDL says, once somebody has seen what that changes; then tells until it runs at each provider or is refused. */
export async function updateLease(
  [name = '', path = '']: readonly string[],
  flags: LeaseUpdateFlags,
  output: Output,
  signal: AbortSignal,
  asked: Asked = person,
  clock: Clock = systemClock,
): Promise<void> {
  const { text: sdl, source } = readNamedFile(path, path);
  const timeoutMs = await durationOf(flags.timeout);
  const isText = flags.output === 'text';
  const work = async (connection: ApiConnection): Promise<Updated> => {
    const { id, owner } = await findDeployment(connection, name);
    return await actAsTenant(connection, {
      owner,
      tell: (line) => (isText ? output.err.write(line) : undefined),
      work: (acting) => update(acting, { id, sdl, source }, flags, output, asked),
    });
  };
  const { deployment, preview } = await withApi(flags, work, 'market');
  const document = {
    preview: toJson(DeploymentsPreviewResponseSchema, preview, { useProtoFieldName: true }),
    deployment: objectDocument({ message: 'Deployment' }, DeploymentSchema, deployment),
  };
  if (flags.dryRun || !flags.wait) {
    if (flags.output !== 'text') output.out.write(formatDocument(document, flags.output));
    return;
  }
  const hash = deployment.status?.manifestHash ?? '';
  const tell = newLines((line) => (isText ? output.out.write(`${line}\n`) : undefined));
  const isOver = ({ leases }: Known<'leases'>): boolean => {
    const live = leases.filter(isActive);
    for (const lease of live) tellDelivery(tell, lease);
    return live.every((lease) => outcomeOf(lease, hash) !== 'waits');
  };
  const follow = {
    id: deployment.id,
    kinds: ['leases'] as const,
    connect: () => connectApi(flags, 'market'),
    warn: (line: string) => output.err.write(`quartermaster: ${line}; trying again\n`),
    timeoutMs,
    clock,
  };
  const { isRead, known, documents } = await followBelow(follow, isOver, signal);
  if (flags.output !== 'text') output.out.write(formatDocument({ ...document, leases: documents.leases }, flags.output));
  if (!isRead) {
    const look = `"quartermaster describe deployment ${deployment.id}" shows its progress`;
    throw new StatusError('unavailable', `${unansweredText(signal)}; the update stays: ${look}`);
  }
  const live = known.leases.filter(isActive);
  const problem = problemOf(live, hash, signal);
  if (problem !== undefined) throw problem;
  if (isText)
    output.out.write(
      live.length === 0
        ? 'The deployment has no active lease yet.\n'
        : `Running at ${live.map((lease) => textAt(lease, 'spec.provider')).join(', ')}.\n`,
    );
}

const isActive = (lease: JsonObject): boolean => marketState(lease).word === 'Active';

const isDeployed = (lease: JsonObject, hash: string): boolean =>
  refusalOf(lease) === '' && textAt(lease, 'status.delivery.manifest_hash') === hash;

/** Of this manifest: a refusal may be left of another. */
function outcomeOf(lease: JsonObject, hash: string): 'runs' | 'refused' | 'waits' {
  if (isDeployed(lease, hash) && hasRun(lease)) return 'runs';
  return refusalOf(lease) !== '' && textAt(lease, 'status.delivery.refused_hash') === hash ? 'refused' : 'waits';
}

function problemOf(live: readonly JsonObject[], hash: string, signal: AbortSignal): StatusError | undefined {
  const of = (outcome: string): readonly JsonObject[] => live.filter((lease) => outcomeOf(lease, hash) === outcome);
  const refused = of('refused').map((lease) => {
    const goesOn =
      textAt(lease, 'status.delivery.manifest_hash') === '' ? 'has no manifest deployed' : 'keeps running the previous manifest';
    return `lease ${textAt(lease, 'id')} ${goesOn}: ${refusalOf(lease)}`;
  });
  if (refused.length > 0) return new StatusError('failed_precondition', refused.join('; '));
  const [waits] = of('waits');
  if (waits === undefined) return undefined;
  const id = textAt(waits, 'id');
  const end = signal.aborted ? 'interrupted' : 'timed out';
  const why = isDeployed(waits, hash)
    ? `lease ${id} does not run it yet: ${waitingFor(waits)}`
    : `the provider of lease ${id} has not deployed it yet`;
  return new StatusError('unavailable', `${end}; ${why}; the update stays: "quartermaster lease status ${id}" shows its progress`);
}

interface Sent {
  /** Of the deployment. */
  readonly id: string;
  readonly sdl: string;
  readonly source: string;
}

async function update(
  connection: ApiConnection,
  { id, sdl, source }: Sent,
  flags: LeaseUpdateFlags,
  { out, err }: Output,
  asked: Asked,
): Promise<Updated> {
  const client = connection.client(Deployments);
  const preview = await client.preview({ id, sdl }).catch((thrown: unknown) => {
    throw onlyTheTenant(thrown, id);
  });
  const isText = flags.output === 'text';
  if (preview.faults.length > 0) {
    if (isText) err.write(faultLines(preview.faults, source));
    else out.write(formatDocument(toJson(DeploymentsPreviewResponseSchema, preview, { useProtoFieldName: true }), flags.output));
    const faults = preview.faults.length === 1 ? 'a fault' : `${preview.faults.length} faults`;
    throw new StatusError('invalid_argument', `${source} has ${faults}: nothing was updated`);
  }
  if (isText) out.write(previewText(preview));
  const missing = preview.lostVolumes.filter((volume) => !flags.confirm.includes(volume));
  if (missing.length > 0 && !flags.dryRun) {
    const way = missing.map((volume) => `--confirm ${volume}`).join(' ');
    throw new StatusError('failed_precondition', `this update deletes data: confirm with ${way}; nothing was updated`);
  }
  if (!flags.dryRun && !flags.yes && !(await confirm(`Update deployment ${id}?`, asked)))
    throw new StatusError('failed_precondition', 'nothing was updated');
  const request = { object: { id, spec: { sdl } }, updateMask: { paths: ['spec.sdl'] }, confirm: [...flags.confirm], dryRun: flags.dryRun };
  const deployment = answered(
    (await client.update(flags.dryRun ? { ...request, confirm: preview.lostVolumes } : request)).object,
  ) as Deployment;
  if (isText) out.write(flags.dryRun ? 'Dry run: nothing was updated.\n' : `deployment ${id} updated\n`);
  return { deployment, preview };
}

function previewText({ changes, restarted, lostVolumes }: DeploymentsPreviewResponse): string {
  if (changes.length === 0) return 'No running service changes.\n';
  const rows = changes.map(({ service, message }) => [service, message]);
  const notes = [
    restarted.length === 0 ? 'Nothing is restarted.' : `Restarted, one replica after another: ${restarted.join(', ')}.`,
    ...(lostVolumes.length === 0 ? [] : [`Lost with all data: ${lostVolumes.join(', ')}.`]),
  ];
  return `${table(['SERVICE', 'CHANGE'], rows)}\n${notes.join('\n')}\n`;
}
