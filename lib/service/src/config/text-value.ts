import { parseDocument } from 'yaml';
import type { TextForm } from './config-key.ts';

/**
 * The value that a text of the environment or the command line stands for. A text that does not fit its form is returned as it is: the
 * schema then says what is expected.
 */
export function textValue(text: string, form: TextForm): unknown {
  switch (form) {
    case 'text':
      return text;
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'list':
      return listValue(text);
    case 'yaml':
      return yamlValue(text);
  }
}

/** `a,b`, or a YAML list in brackets when an item has a comma. */
function listValue(text: string): unknown {
  if (text.trimStart().startsWith('[')) return yamlValue(text);
  if (text.trim() === '') return [];
  return text.split(',').map((item) => item.trim());
}

function yamlValue(text: string): unknown {
  const document = parseDocument(text, { prettyErrors: false });
  if (document.errors.length > 0) return text;
  try {
    return document.toJS() as unknown;
  } catch {
    // A reference to an anchor that does not exist.
    return text;
  }
}
