import { Composer, type CST, type Document, isAlias, isMap, isNode, isPair, isScalar, Parser, visit, type YAMLMap } from 'yaml';

/** A kubeconfig as every program reads it, or the rule that it breaks by being read differently by some. */
export type KubeconfigText = { readonly config: unknown } | { readonly rule: string };

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Controllers read kubeconfigs with parsers of their own, of YAML 1.1 among them. What one of those would read differently than we do, and so could carry what we did not
 * see, is refused: other line breaks, several documents, anchors and aliases, merge keys, tags, directives and keys that are there twice.
 */
export function readKubeconfigText(bytes: Uint8Array): KubeconfigText {
  try {
    return readText(decoder.decode(bytes));
  } catch {
    // Bytes that are no UTF-8, what is no YAML, and what is nested deeper than the parser can follow.
    return { rule: notYaml };
  }
}

const notYaml = 'must be a kubeconfig: YAML or JSON in UTF-8 with "kind: Config"';

function readText(text: string): KubeconfigText {
  // U+0085, U+2028 and U+2029 end a line in YAML 1.1 and are ordinary characters in 1.2; so does a lone carriage return for some.
  if (/\r(?!\n)|[^\P{C}\t\r\n]|[\u2028\u2029]/u.test(text)) {
    return { rule: 'must not contain control characters or line breaks other than LF and CRLF; write it with an ordinary editor' };
  }
  // The parser compares each key with all before it, and quotes the line of every error: both take time that grows with the square of the text.
  const composer = new Composer({ logLevel: 'silent', uniqueKeys: false, prettyErrors: false, merge: false });
  let document: Document.Parsed | undefined;
  for (const each of composer.compose(wellFormed(text))) {
    if (document !== undefined) return { rule: 'must be a single YAML document; keep the one that counts' };
    document = each;
  }
  if (document === undefined || document.errors.length > 0) return { rule: notYaml };
  if (/^%/m.test(text)) return { rule: 'must not have YAML directives (lines that begin with "%"); remove them' };
  let rule: string | undefined;
  visit(document, (_key, node) => {
    if (isAlias(node) || (isNode(node) && 'anchor' in node && node.anchor !== undefined)) {
      rule = 'must not have YAML anchors and aliases; write each value where it belongs';
    } else if (isNode(node) && node.tag !== undefined) rule = 'must not have YAML tags such as "!!binary"; write plain values';
    else if (isPair(node) && (!isScalar(node.key) || typeof node.key.value !== 'string')) rule = 'must have texts for all keys';
    else if (isPair(node) && isScalar(node.key) && node.key.value === '<<')
      rule = 'must not have the YAML merge key "<<"; write out its fields';
    else if (isMap(node) && hasKeyTwice(node)) rule = 'must not have a key twice in one place; keep one of them';
    return rule === undefined ? undefined : visit.BREAK;
  });
  if (rule !== undefined) return { rule };
  return isMap(document.contents) ? { config: document.toJS({ maxAliasCount: 0 }) as unknown } : { rule: notYaml };
}

/** Ends with the first error: a file can hold very many of them. */
function* wellFormed(text: string): Generator<CST.Token, void, undefined> {
  for (const token of new Parser().parse(text)) {
    if (token.type === 'error') throw new Error(notYaml);
    yield token;
  }
}

function hasKeyTwice({ items }: YAMLMap): boolean {
  const texts = items.flatMap(({ key }) => (isScalar(key) ? [key.value] : []));
  return new Set(texts).size < texts.length;
}
