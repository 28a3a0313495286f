import { createHash } from 'node:crypto';
import { generateManifest, manifestToSortedJSON, type SDLInput, type ValidationError, validateSDL } from '@akashnetwork/chain-sdk';
import { create } from '@bufbuild/protobuf';
import { SdlFaultSchema } from '@quartermaster/api/market';
import { messageOf } from '@quartermaster/kernel';
import { FaultList } from './fault-list.ts';
import { figuresOf, type Manifest } from './group-figures.ts';
import { checkLimits } from './group-limits.ts';
import { groupMessages } from './group-messages.ts';
import { mendShapes, refuseFields } from './refused-fields.ts';
import { relationFaults } from './relation-faults.ts';
import { isOfSchema, schemaFaults } from './schema-faults.ts';
import type { SdlContent, SdlReading } from './sdl-reading.ts';
import { checkRules } from './sdl-rules.ts';
import type { Data } from './yaml-data.ts';
import { readYaml } from './yaml-text.ts';

/** Decides which IBC denom is USDC. */
const network = 'mainnet';

/**
 * Reads an SDL with the ecosystem's library. Nothing in it is a reason to throw. It takes the time and the memory that it takes: whoever
 * serves others calls it through `SdlReader`.
 */
export function readSdl(text: string): SdlReading {
  const yaml = readYaml(text);
  const faults = new FaultList();
  faults.addAll(yaml.faults);
  const content = yaml.data === undefined ? undefined : contentOf(yaml.data, faults);
  if (content !== undefined && faults.isEmpty) return content;
  const placed = faults.all.map((fault) =>
    create(SdlFaultSchema, { path: fault.path, code: fault.code, message: fault.message, ...yaml.placeOf(fault) }),
  );
  return { faults: placed.sort((a, b) => a.line - b.line || a.column - b.column) };
}

/** Undefined where there are faults. */
function contentOf(data: Data, faults: FaultList): SdlContent | undefined {
  refuseFields(data, faults);
  mendShapes(data, faults);
  const errors = asked(faults, () => validateSDL(data as unknown as SDLInput, network) ?? []);
  if (errors === undefined) return undefined;
  const ofSchema = errors.filter(isOfSchema);
  faults.addAll(schemaFaults(ofSchema));
  if (ofSchema.length > 0) return undefined;
  const sdl = data as unknown as SDLInput;
  checkRules(sdl, faults);
  faults.addAll(relationFaults(errors));
  if (!faults.isEmpty) return undefined;
  const manifest = asked(faults, () => generated(sdl));
  return manifest && ordered(manifest, sdl, faults);
}

function generated(sdl: SDLInput): Manifest {
  const result = generateManifest(sdl, network);
  if (!result.ok) throw new Error(result.value.map(({ message }: ValidationError) => message).join(' '));
  return result.value;
}

function ordered(manifest: Manifest, sdl: SDLInput, faults: FaultList): SdlContent | undefined {
  const figures = asked(faults, () => figuresOf(manifest)) ?? [];
  checkLimits(figures, sdl, faults);
  if (!faults.isEmpty) return undefined;
  const groups = groupMessages(figures, faults);
  const json = manifestToSortedJSON(manifest.groups);
  return { groups, manifestHash: createHash('sha256').update(json).digest('hex'), manifest: json };
}

/** The library throws at some SDL that it should refuse. */
function asked<T>(faults: FaultList, question: () => T): T | undefined {
  try {
    return question();
  } catch (thrown) {
    const message = `the SDL library cannot read this: ${messageOf(thrown).slice(0, 200)}; compare it with a working example`;
    if (faults.isEmpty) faults.add('', 'NotReadable', message);
    return undefined;
  }
}
