import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@bufbuild/protobuf';
import { codeOf, StatusError } from '@quartermaster/kernel';
import { maskOfChange } from '@quartermaster/rpc';
import { placedFailure } from '../../files/yaml-document.ts';
import type { Ask } from '../../server/resource.ts';
import type { ServerFlags } from '../../server/server-flags.ts';
import { formatDocument } from '../../text/format-document.ts';
import { isJsonObject, presentFields } from '../../text/json-path.ts';
import { paintFor } from '../../text/paint.ts';
import type { KindPlural } from '../kinds/kind.ts';
import { type ApiConnection, type ObjectApi, withApi } from '../objects/api-connection.ts';
import { type AnyObject, answered } from '../objects/object-client.ts';
import { objectDocument, objectFromJson, objectJson, withoutSecrets } from '../objects/object-json.ts';
import { findObject, nameOf, words } from '../objects/read-objects.ts';
import { parseDocuments } from './file-document.ts';
import { writtenText } from './written-text.ts';

export interface EditFlags extends ServerFlags {
  readonly withStatus: boolean;
  readonly dryRun: boolean;
}

/** Lets a person change the file. */
export type Editor = (file: string) => Promise<void>;

/** Only the service writes these: in the text they would be noise. */
const ownMetadata = ['creation_timestamp', 'deletion_timestamp', 'creators', 'version'];

/**
 * Opens an object in an editor and writes what was changed in it: nothing else, and only if nobody else wrote it meanwhile. A text that is refused is
 * kept in a file, and a person at a terminal gets it back with the reasons.
 */
export const editObject =
  (kind: KindPlural, options: EditOptions = {}): Ask<EditFlags> =>
  async ([name = ''], flags, output) => {
    const { editor = editorOf(process.env), isAttended = process.stdin.isTTY } = options;
    await withApi(flags, async (connection) => {
      const api = await connection.objects(kind);
      const stored = await findObject(api, name);
      const before = editable(objectDocument(api.kind, api.schema, stored), flags);
      const folder = mkdtempSync(join(tmpdir(), 'quartermaster-edit-'));
      const file = join(folder, `${api.kind.singular}-${nameOf(stored).replaceAll(/[^\w.-]/g, '_')}.yaml`);
      let text = `${heading(api, stored, flags)}${formatDocument(before, 'yaml')}`;
      let refusal: unknown;
      let isKept = false;
      try {
        for (;;) {
          writeFileSync(file, text, { mode: 0o600 });
          await editor(file);
          const edited = readFileSync(file, 'utf8');
          if (edited === text || withoutComments(edited) === '') {
            isKept = refusal !== undefined;
            throw isKept ? keptIn(file, refusal) : new StatusError('failed_precondition', 'nothing was changed');
          }
          try {
            const object = await write({ connection, api, stored, before, flags }, edited, file);
            const outcome = object.metadata?.version === stored.metadata?.version ? 'unchanged' : 'changed';
            output.out.write(writtenText(api, object, outcome, { format: 'text', isDryRun: flags.dryRun, paint: paintFor(output.out) }));
            return;
          } catch (thrown) {
            refusal = thrown;
            isKept = !isAttended || codeOf(thrown) !== 'invalid_argument';
            if (isKept) throw keptIn(file, thrown);
            text = `${refusalOf(thrown)}${edited.replace(/^(?:# refused.*\n)+/, '')}`;
          }
        }
      } finally {
        if (!isKept) rmSync(folder, { recursive: true, force: true });
      }
    });
  };

export interface EditOptions {
  readonly editor?: Editor | undefined;
  /** Whether somebody is there to mend a text that is refused. */
  readonly isAttended?: boolean | undefined;
}

interface Editing {
  readonly connection: ApiConnection;
  readonly api: ObjectApi;
  readonly stored: AnyObject;
  readonly before: JsonObject;
  readonly flags: EditFlags;
}

async function write({ connection, api, stored, before, flags }: Editing, text: string, file: string): Promise<AnyObject> {
  const [document, ...others] = parseDocuments(text, file);
  if (document === undefined || others.length > 0) throw new StatusError('invalid_argument', `${file} must contain exactly one document`);
  try {
    const object = objectFromJson(api.schema, document.json);
    const { kind: _kind, ...old } = before;
    // In the spelling of the service, whatever the person wrote.
    const paths = maskOfChange(api.schema, old, objectJson(api.schema, object)).filter((path) => path !== 'id' && !isOwn(path));
    if (document.kind !== api.kind.plural || (object.id !== '' && object.id !== stored.id)) {
      throw new StatusError(
        'invalid_argument',
        `kind and id of the ${words(api.kind.singular)} cannot be changed: write another file and create it`,
      );
    }
    if (paths.length === 0) return stored;
    const locked = objectFromJson(api.schema, withVersion(document.json, stored));
    locked.id = stored.id;
    const request = { object: locked, updateMask: { paths }, lock: true, dryRun: flags.dryRun };
    return answered((await api.client.update(request)).object);
  } catch (thrown) {
    throw placedFailure(connection.explained(thrown), document);
  }
}

const isOwn = (path: string): boolean => ownMetadata.some((name) => path === `metadata.${name}`);

function withVersion(json: JsonObject, { metadata }: AnyObject): JsonObject {
  const own = json['metadata'];
  return { ...json, metadata: { ...(isJsonObject(own) ? own : {}), version: String(metadata?.version ?? 0n) } };
}

function editable(document: JsonObject, { withStatus }: EditFlags): JsonObject {
  const { status, metadata, ...rest } = withoutSecrets(document);
  const kept = Object.fromEntries(Object.entries(isJsonObject(metadata) ? metadata : {}).filter(([key]) => !ownMetadata.includes(key)));
  const { kind, id, ...others } = rest;
  return presentFields({ kind, id, metadata: kept, ...others, status: withStatus ? status : undefined });
}

function heading(api: ObjectApi, stored: AnyObject, { withStatus }: EditFlags): string {
  return [
    `# ${words(api.kind.singular)} ${nameOf(stored)}, version ${stored.metadata?.version ?? 0n}. What you change here is written when you leave the editor;`,
    '# a text without changes writes nothing. Secrets are not shown and stay as they are, unless you write a new one in.',
    ...(withStatus ? [] : ['# The status is left out: --with-status shows it.']),
    '',
  ].join('\n');
}

function refusalOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return message
    .split('\n')
    .map((line) => `# refused: ${line}\n`)
    .join('');
}

function keptIn(file: string, thrown: unknown): StatusError {
  const failure = StatusError.from(thrown);
  const hint = failure.code === 'aborted' ? 'somebody else changed it meanwhile; edit it again' : failure.message;
  return new StatusError(failure.code, `${hint}\nyour text is kept in ${file}`, { details: undefined });
}

const withoutComments = (text: string): string => text.replaceAll(/^\s*#.*$/gm, '').trim();

/** `$VISUAL` or `$EDITOR`, which may have arguments, else vi. */
function editorOf(env: NodeJS.ProcessEnv): Editor {
  const command = env['VISUAL'] || env['EDITOR'] || 'vi';
  return async (file) => {
    const child = spawn('/bin/sh', ['-c', `${command} "$1"`, 'sh', file], { stdio: 'inherit' });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0)
      throw new StatusError('failed_precondition', `the editor "${command}" failed: nothing was written (set EDITOR to another)`);
  };
}
