import type { SdlFault } from '@quartermaster/api/market';

/** A line for each fault, as compilers write them and editors read them: `web.yaml:12:7: /services/web/expose/0/port: must be … (PortRange)`. */
export const faultLines = (faults: readonly SdlFault[], source: string): string =>
  faults.map((fault) => `${faultLine(fault, source)}\n`).join('');

function faultLine({ path, line, column, message, code }: SdlFault, source: string): string {
  // Of neither there may be none: a document that is empty has no first line.
  const place = [source, ...(line === 0 ? [] : [line]), ...(line === 0 || column === 0 ? [] : [column])].join(':');
  return `${place}: ${path === '' ? '' : `${path}: `}${message}${code === '' ? '' : ` (${code})`}`;
}
