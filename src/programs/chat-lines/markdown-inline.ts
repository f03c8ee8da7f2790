// Reads the inline parts of Markdown as styled text: emphasis, code, links with their address.
import type { MarkedToken, Token } from 'marked';
import { knownToken } from '../../core/markdown/markdown-blocks.ts';
import { decodeEntities } from '../../core/text/decode-entities.ts';
import { type Span, span, type TextStyle } from './styled-text.ts';

/** Returns the text of inline tokens. A line break is a line feed in a span. `style`: of the text around them. */
export function inlineSpans(tokens: readonly Token[], style: TextStyle = 'plain'): readonly Span[] {
  return tokens.flatMap((token) => spansOf(knownToken(token), style));
}

function spansOf(token: MarkedToken, style: TextStyle): readonly Span[] {
  switch (token.type) {
    case 'strong':
      return inlineSpans(token.tokens, style === 'emphasis' ? 'strong-emphasis' : nested(style, 'strong'));
    case 'em':
      return inlineSpans(token.tokens, style === 'strong' ? 'strong-emphasis' : nested(style, 'emphasis'));
    case 'del':
      return inlineSpans(token.tokens, nested(style, 'struck'));
    case 'codespan':
      return [span(token.text, 'code')];
    case 'br':
      return [span('\n', style)];
    case 'link':
      return linkSpans(token.href, inlineSpans(token.tokens, nested(style, 'link')));
    case 'image':
      return linkSpans(token.href, [span(`image: ${token.text || 'without a name'}`, nested(style, 'link'))]);
    case 'text':
      return token.tokens ? inlineSpans(token.tokens, style) : [span(softBreaks(decodeEntities(token.text)), style)];
    case 'escape':
      return [span(token.text, style)];
    case 'checkbox':
      return [];
    default:
      return [span(softBreaks(token.raw), style)];
  }
}

/** A heading stays one, whatever is in it. */
const nested = (outer: TextStyle, inner: TextStyle): TextStyle => (outer === 'heading' ? outer : inner);

const softBreaks = (text: string): string => text.replace(/\s*\n\s*/g, ' ');

function linkSpans(href: string, label: readonly Span[]): readonly Span[] {
  const text = label.map((each) => each.text).join('');
  const isAddress = text === href || `mailto:${text}` === href;
  return isAddress ? label : [...label, span(` (${href})`, 'soft')];
}
