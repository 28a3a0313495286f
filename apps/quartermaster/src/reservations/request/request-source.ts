import type { JsonObject } from '@bufbuild/protobuf';
import type { ResourceRequest } from '@quartermaster/api/cluster';
import { fieldViolationsOf, invalidFields, StatusError } from '@quartermaster/kernel';
import { readNamedFile } from '../../files/named-file.ts';
import { parseYaml, placedFailure, placeOf } from '../../files/yaml-document.ts';
import { isJsonObject, presentFields } from '../../text/json-path.ts';
import { parseRequest } from './parse-request.ts';

/** What a command line says of a request: a file, or one unit by flags. */
export interface RequestFlags {
  readonly filename?: string | undefined;
  readonly cpu?: string | undefined;
  readonly memory?: string | undefined;
  readonly storage?: string | undefined;
  readonly gpu?: string | undefined;
  readonly replicas?: number | undefined;
}

/** A request, and how to say what is wrong with it where it was written. */
export interface RequestSource {
  readonly request: ResourceRequest;
  /** A refusal of the service in the names of the form, with the line of the file or the flag. Anything else stays as it is. */
  readonly explained: (thrown: unknown) => unknown;
}

// field of the form -> the flag that gives it
const flagsOf: readonly (readonly [RegExp, string])[] = [
  [/^cpu$/, '--cpu'],
  [/^memory$/, '--memory'],
  [/^storage\b/, '--storage'],
  [/^gpu\b/, '--gpu'],
  [/^count$/, '--replicas'],
];

/** Throws `invalid_argument` with every place that is wrong. */
export function readRequest(flags: RequestFlags): RequestSource {
  const { filename, cpu, memory, storage, gpu, replicas } = flags;
  const given = Object.entries({ cpu, memory, storage, gpu, replicas }).filter(([, value]) => value !== undefined);
  if (filename === undefined && given.length === 0)
    throw new StatusError('invalid_argument', 'say what is asked for: -f FILE (- for standard input), or --cpu, --memory, --gpu …');
  if (filename === undefined) return requestOfFlags(flags);
  if (given.length > 0)
    throw new StatusError(
      'invalid_argument',
      `-f has the whole request: leave out ${given.map(([name]) => `--${name}`).join(', ')}, or -f`,
    );
  return requestOfFile(filename);
}

function requestOfFile(path: string): RequestSource {
  const { text, source } = readNamedFile(path);
  const documents = parseYaml(text, source);
  const [document, second] = documents;
  if (document === undefined) throw new StatusError('invalid_argument', `${source} is empty: it must have a request`);
  const { value, node, from } = document;
  if (second !== undefined)
    throw new StatusError('invalid_argument', `${placeOf(second.node, '', from)}: a second request: a file has one; its units can be many`);
  const place = (field: string): string => placeOf(node, field, from);
  // A unit by itself has no list around it.
  const isUnit = isJsonObject(value) && !('units' in value);
  return sourceOf(
    () => parseRequest(value),
    (thrown) => placedFailure(thrown, { place }),
    isUnit,
  );
}

function requestOfFlags(flags: RequestFlags): RequestSource {
  const unit = unitOfFlags(flags);
  const complain = (thrown: unknown): StatusError => {
    const lines = fieldViolationsOf(thrown).map(({ field, description }) => {
      const flag = flagsOf.find(([form]) => form.test(field))?.[1] ?? field;
      return flag === '' ? description : `${flag}: ${description}`;
    });
    return new StatusError('invalid_argument', lines.join('\n'));
  };
  return sourceOf(() => parseRequest(unit), complain, true);
}

function sourceOf(parse: () => ResourceRequest, complain: (thrown: unknown) => StatusError, isUnit: boolean): RequestSource {
  const explained = (thrown: unknown): unknown => {
    const violations = fieldViolationsOf(thrown);
    // The others are about the rest of the command line.
    if (violations.length === 0 || !violations.every(({ field }) => /^(request\.)?units\b/.test(field))) return thrown;
    return complain(invalidFields(violations.map(({ field, description }) => ({ field: formField(field, isUnit), description }))));
  };
  try {
    return { request: parse(), explained };
  } catch (thrown) {
    throw complain(thrown);
  }
}

function unitOfFlags({ cpu, memory, storage, gpu, replicas }: RequestFlags): JsonObject {
  return presentFields({
    cpu,
    memory,
    count: replicas,
    gpu: gpu === undefined ? undefined : gpuOfFlag(gpu),
    storage: storage === undefined ? undefined : [{ size: storage }],
  });
}

function gpuOfFlag(text: string): JsonObject {
  const [, vendor, model, count] = /^(?:([^/=\s]+)\/)?([^/=\s]+)(?:=(\d+))?$/.exec(text) ?? [];
  if (model === undefined)
    throw new StatusError('invalid_argument', `--gpu "${text}" must be MODEL, MODEL=COUNT or VENDOR/MODEL=COUNT, such as h100=2`);
  return presentFields({ vendor, model, count: count === undefined ? undefined : Number(count) });
}

// name in the contract -> name in the form
const formNames: Readonly<Record<string, string>> = {
  cpu_millis: 'cpu',
  memory_bytes: 'memory',
  gpus: 'gpu',
  volumes: 'storage',
  bytes: 'size',
  storage_class: 'class',
  random_ports: 'ports',
  leased_ips: 'ips',
};

/** `request.units[0].volumes[1].bytes` -> `units[0].storage[1].size`; of a unit by itself, `storage[1].size`. */
export function formField(field: string, isUnit: boolean): string {
  const path = field
    .replace(/^request\./, '')
    .split('.')
    .map((segment) => segment.replace(/^\w+/, (name) => formNames[name] ?? name))
    .join('.');
  return isUnit ? path.replace(/^units(\[0\])?\.?/, '') : path;
}
