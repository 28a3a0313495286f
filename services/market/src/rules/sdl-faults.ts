import type { SdlFault } from '@quartermaster/api/market';
import { invalidFields, type StatusError } from '@quartermaster/kernel';

const maxNamed = 20;

/** The refusal of an SDL, with where and why for each of its faults. */
export function refusedSdl(faults: readonly SdlFault[]): StatusError {
  const field = 'spec.sdl';
  const named = faults.slice(0, maxNamed).map((fault) => ({ field, description: faultText(fault) }));
  const more = faults.length - named.length;
  return invalidFields(more === 0 ? named : [...named, { field, description: `and ${more} more; Sdl.Check lists all of them` }]);
}

function faultText({ path, line, message, code }: SdlFault): string {
  const place = [path === '' ? 'the document' : path, ...(line === 0 ? [] : [`line ${line}`])].join(', ');
  return `${place}: ${message}${code === '' ? '' : ` (${code})`}`;
}
