import { styleNonce } from '../model/style-nonce.ts';

/**
 * Lets the terminal emulator draw under the page's content security policy. It appends style elements as it opens, which need the nonce of the page. It
 * writes the colours of its spans as texts of attributes, which the policy refuses, and takes as properties. Its option for a document of its own does not
 * reach all of these places.
 */
export function openUnderPolicy(open: () => void): void {
  HTMLSpanElement.prototype.setAttribute = setAttribute;
  Object.defineProperty(document, 'createElement', { value: createElement, configurable: true });
  try {
    open();
  } finally {
    Reflect.deleteProperty(document, 'createElement');
  }
}

function createElement(name: string): Element {
  const element = document.createElementNS('http://www.w3.org/1999/xhtml', name);
  if (element instanceof HTMLStyleElement) element.nonce = styleNonce();
  return element;
}

function setAttribute(this: HTMLSpanElement, name: string, value: string): void {
  if (name === 'style') this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
}
