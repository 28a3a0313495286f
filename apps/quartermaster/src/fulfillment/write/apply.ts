import type { JsonObject } from '@bufbuild/protobuf';
import { StatusError } from '@quartermaster/kernel';
import { maskOfJson } from '@quartermaster/rpc';
import { placedFailure } from '../../files/yaml-document.ts';
import type { ServerFlags } from '../../server/server-flags.ts';
import { failureText } from '../../text/failure-line.ts';
import { textAt } from '../../text/json-path.ts';
import type { Output } from '../../text/output.ts';
import { paintFor } from '../../text/paint.ts';
import type { CreateFlags } from '../kinds/kind.ts';
import { type ApiConnection, type ObjectApi, withApi } from '../objects/api-connection.ts';
import { type AnyObject, answered } from '../objects/object-client.ts';
import { celText } from '../objects/object-filter.ts';
import { objectFromJson } from '../objects/object-json.ts';
import { readByIds, readObjects, words } from '../objects/read-objects.ts';
import type { FileDocument } from './file-document.ts';
import { readFiles } from './read-files.ts';
import { type WriteOutcome, writtenText } from './written-text.ts';

export interface ApplyFlags extends ServerFlags, Pick<CreateFlags, 'dryRun' | 'output'> {
  readonly filename: readonly string[];
  /** Also write what controllers report. */
  readonly withStatus: boolean;
}

interface Written {
  readonly object: AnyObject;
  readonly outcome: WriteOutcome;
}

type Write = (api: ObjectApi, json: JsonObject, options: { readonly dryRun: boolean }) => Promise<Written>;

/** Makes every object of the files. One that is there already is refused. */
export async function createFromFiles(_args: readonly string[], flags: ApplyFlags, output: Output): Promise<void> {
  await writeFiles(flags, output, createObject);
}

/** Makes every object of the files what its file says, and leaves alone what the file does not say. To do so twice changes nothing. */
export async function applyFiles(_args: readonly string[], flags: ApplyFlags, output: Output): Promise<void> {
  await writeFiles(flags, output, applyObject);
}

export async function createObject(
  { client, schema }: ObjectApi,
  json: JsonObject,
  { dryRun }: { readonly dryRun: boolean },
): Promise<Written> {
  const { object } = await client.create({ object: objectFromJson(schema, json), dryRun });
  return { object: answered(object), outcome: 'created' };
}

async function applyObject(api: ObjectApi, json: JsonObject, options: { readonly dryRun: boolean }): Promise<Written> {
  const object = objectFromJson(api.schema, json);
  const stored = await storedOf(api, json);
  if (stored === undefined) return await createObject(api, json, options);
  const paths = maskOfJson(api.schema, json).filter((path) => path !== 'id');
  // Without a mask everything that the file leaves out would go.
  if (paths.length === 0) return { object: stored, outcome: 'unchanged' };
  object.id = stored.id;
  const answer = answered((await api.client.update({ object, updateMask: { paths }, dryRun: options.dryRun })).object);
  return { object: answer, outcome: answer.metadata?.version === stored.metadata?.version ? 'unchanged' : 'changed' };
}

/** Everything that can be done is done; what could not be is told document by document. */
async function writeFiles(flags: ApplyFlags, output: Output, write: Write): Promise<void> {
  const documents = readFiles(flags.filename);
  const paint = paintFor(output.out);
  await withApi(flags, async (connection) => {
    const failures: StatusError[] = [];
    for (const document of documents) {
      try {
        const api = await apiOf(connection, document);
        const json = flags.withStatus ? document.json : withoutStatus(document.json);
        const { object, outcome } = await write(api, json, { dryRun: flags.dryRun });
        output.out.write(writtenText(api, object, outcome, { format: flags.output, isDryRun: flags.dryRun, paint }));
      } catch (thrown) {
        const failure = placedFailure(connection.explained(thrown), document);
        if (['unavailable', 'resource_exhausted', 'unauthenticated'].includes(failure.code)) throw failure;
        failures.push(failure);
      }
    }
    const [only, ...others] = failures;
    if (only === undefined) return;
    if (others.length === 0) throw only;
    for (const failure of failures) output.err.write(failureText(failure).text);
    throw new StatusError(only.code, `${failures.length} of ${documents.length} objects were refused; the others were applied`);
  });
}

async function apiOf(connection: ApiConnection, { kind, api }: FileDocument): Promise<ObjectApi> {
  return api === undefined ? await connection.objects(kind) : connection.objectsOf(kind, api);
}

/** The object that is meant: by its id, else by its name. */
async function storedOf(api: ObjectApi, json: JsonObject): Promise<AnyObject | undefined> {
  const [id, name] = [textAt(json, 'id'), textAt(json, 'metadata.name')];
  if (id !== '') return (await readByIds(api, [id]))[0];
  if (name === '') {
    throw new StatusError('invalid_argument', `a ${words(api.kind.singular)} requires an id or metadata.name`);
  }
  const filter = `this.metadata.name == ${celText(name)} && !has(this.metadata.deletion_timestamp)`;
  const { items } = await readObjects(api, { filter, limit: 2 });
  if (items.length < 2) return items[0];
  throw new StatusError(
    'failed_precondition',
    `several ${words(api.kind.plural)} are called ${name}: give the id of the one that is meant`,
  );
}

/** What controllers report is theirs, and what a file holds of it is old. */
function withoutStatus({ status: _status, ...rest }: JsonObject): JsonObject {
  return rest;
}
