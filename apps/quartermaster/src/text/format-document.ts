import { stringify } from 'yaml';

export type MachineFormat = 'json' | 'yaml';

/** A whole answer, laid out for reading. Integers beyond what a number holds are texts in it already. */
export function formatDocument(document: unknown, format: MachineFormat): string {
  return format === 'json' ? `${JSON.stringify(document, undefined, 2)}\n` : yamlText(document);
}

/** One of many answers: a line of JSON, or a document of a YAML stream. */
export function formatEvent(document: unknown, format: MachineFormat): string {
  return format === 'json' ? `${JSON.stringify(document)}\n` : `---\n${yamlText(document)}`;
}

// Aliases would keep simple readers from understanding it.
const yamlText = (document: unknown): string => stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 });
