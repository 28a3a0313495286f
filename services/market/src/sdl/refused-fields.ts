import { type FaultList, pointer, quoted } from './fault-list.ts';
import type { Data } from './yaml-data.ts';

interface Refusal {
  /** `*` for any key or index. */
  readonly path: readonly string[];
  readonly code: string;
  readonly message: string;
}

/** What SDL has elsewhere, and this market does not: told by name, with the reason. */
const refusals: readonly Refusal[] = [
  {
    path: ['include'],
    code: 'IncludeRefused',
    message: 'include is refused: files cannot be included; put everything into one SDL',
  },
  {
    path: ['reclamation'],
    code: 'ReclamationRefused',
    message: 'reclamation is refused: this market has no leases that a provider may take back early; remove it',
  },
  {
    path: ['services', '*', 'dependencies'],
    code: 'DependenciesRefused',
    message:
      'dependencies is refused: services are started together, in no order; remove it, and have the service retry what it depends on',
  },
  {
    path: ['services', '*', 'params', 'tee'],
    code: 'TeeRefused',
    message: 'tee is refused: no provider of this market attests to a trusted execution environment; remove it',
  },
  {
    path: ['services', '*', 'expose', '*', 'http_options', 'proxy_buffer_size'],
    code: 'ProxyBufferSizeRefused',
    message: 'proxy_buffer_size is refused: the manifest has no place for it; remove it',
  },
];

/** Finds what is refused by name, in data of any shape. */
export function refuseFields(data: Data, faults: FaultList): void {
  for (const { path, code, message } of refusals) {
    for (const keys of matches(data, path)) faults.add(pointer(...keys), code, message);
  }
}

/** Refuses shapes at which the library throws instead, and puts good ones in their places, so that it finds what else is wrong. */
export function mendShapes(data: Data, faults: FaultList): void {
  const endpoints = member(data, 'endpoints');
  for (const [name, endpoint] of isRecord(endpoints) ? Object.entries(endpoints) : []) {
    if (!isRecord(endpoints) || (isRecord(endpoint) && endpoint['kind'] === 'ip' && Object.keys(endpoint).length === 1)) continue;
    faults.add(pointer('endpoints', name), 'BadEndpoint', `the endpoint ${quoted(name)} must be "kind: ip" and nothing else`);
    endpoints[name] = { kind: 'ip' };
  }
  const storage = ['profiles', 'compute', '*', 'resources', 'storage'];
  for (const keys of [...matches(data, storage), ...matches(data, [...storage, '*'])]) {
    const volume = keys.reduce<Data | undefined>(member, data);
    if (isRecord(volume)) mendVolume(volume, pointer(...keys), faults);
  }
}

function mendVolume(volume: DataRecord, path: string, faults: FaultList): void {
  const { size, name } = volume;
  if (size !== undefined && typeof size !== 'string') {
    faults.add(`${path}/size`, 'WrongType', 'size must be a number with a suffix, such as 512Mi or 10Gi');
    volume['size'] = '1Gi';
  }
  if (name !== undefined && typeof name !== 'string') {
    faults.add(`${path}/name`, 'WrongType', 'name must be text, in quotes where it looks like something else');
    delete volume['name'];
  }
}

interface DataRecord {
  [key: string]: Data;
}

const isRecord = (data: Data | undefined): data is DataRecord => typeof data === 'object' && data !== null && !Array.isArray(data);

const member = (data: Data | undefined, key: string): Data | undefined =>
  Array.isArray(data) ? data[Number(key)] : isRecord(data) ? data[key] : undefined;

function matches(data: Data | undefined, [step, ...rest]: readonly string[], keys: readonly string[] = []): (readonly string[])[] {
  if (step === undefined) return data === undefined ? [] : [keys];
  const steps = step !== '*' ? [step] : typeof data === 'object' && data !== null ? Object.keys(data) : [];
  return steps.flatMap((key) => matches(member(data, key), rest, [...keys, key]));
}
