// Shows Markdown while it streams: its blocks are read with limits, React renders them.
//
// 1. No HTML of the text becomes an element: it is shown as text.
// 2. Nothing is loaded from elsewhere: an image is shown if it is a blob of the session, and else a link.
import type { Token, Tokens } from 'marked';
import { Fragment, memo, type ReactNode, useEffect, useRef, useState } from 'react';
import { GrowingText, knownToken, type MarkdownBlock } from '../../core/markdown/markdown-blocks.ts';
import { decodeEntities } from '../../core/text/decode-entities.ts';
import { pageClock } from '../page-state/page-clock.ts';
import { BlobImage } from './content-parts.tsx';
import { CopyButton } from './copy-button.tsx';

/** A text in Markdown. Of one that grows only the end is read and drawn again, and a long one is drawn part by part: a key that was pressed is handled before the next. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  const element = useRef<HTMLDivElement>(null);
  const [reader] = useState(() => new GrowingText());
  const [most, setMost] = useState(1);
  const { parts, isAll } = reader.read(text, most);
  useEffect(() => {
    if (most > 1) element.current?.dispatchEvent(new Event('load')); // the view follows its end
    return isAll ? undefined : pageClock.after(0, () => setMost(most + 1));
  }, [isAll, most]);
  return (
    <div className="markdown" ref={element}>
      {parts.map((blocks, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a streaming text only grows at its end
        <TextPiece key={at} blocks={blocks} />
      ))}
    </div>
  );
});

/** Some blocks of a text. */
export const TextPiece = memo(({ blocks }: { readonly blocks: readonly MarkdownBlock[] }) =>
  blocks.map((token, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: as above
    <Block key={at} raw={token.raw} token={token} />
  )),
);

const Block = memo(
  ({ token }: { readonly raw: string; readonly token: MarkdownBlock }) => renderBlock(token),
  (before, after) => before.raw === after.raw,
);

// -- blocks

function renderBlock(token: MarkdownBlock): ReactNode {
  switch (token.type) {
    case 'heading':
      return <Heading token={token} />;
    case 'paragraph':
      return <p>{renderInline(token)}</p>;
    case 'text':
      return 'tokens' in token && token.tokens ? renderInline(token) : decodeEntities(token.text);
    case 'code':
      return <Code token={token} />;
    case 'blockquote':
      return <blockquote>{renderBlocks(token)}</blockquote>;
    case 'list':
      return <List token={token} />;
    case 'table':
      return <Table token={token} />;
    case 'hr':
      return <hr />;
    case 'html':
    case 'plain':
    case 'rest':
      return <p>{token.raw}</p>;
    case 'space':
    case 'def':
      return null;
    default:
      return token.raw;
  }
}

const renderBlocks = ({ tokens = [] }: { readonly tokens?: Token[] | undefined }): ReactNode =>
  // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no other name than their place
  tokens.map((token: Token, at: number) => <Fragment key={at}>{renderBlock(knownToken(token))}</Fragment>);

/** All headings of a reply have one level, below that of the page: models leave levels out, and the outline of the page must not. */
const Heading = ({ token }: { readonly token: Tokens.Heading }) => (
  <h2 data-depth={token.depth}>{renderInline(token)}</h2>
);

const Code = ({ token }: { readonly token: Tokens.Code }) => (
  <div className="code-box">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll it */}
    <pre className="code" tabIndex={0}>
      <code>{token.text}</code>
    </pre>
    <CopyButton text={token.text} what="the code" />
  </div>
);

function List({ token }: { readonly token: Tokens.List }) {
  const items = token.items.map((item, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items have no other name than their place
    <li key={at} className={item.task ? 'task' : undefined}>
      {item.task && (
        <input type="checkbox" checked={item.checked} disabled aria-label={item.checked ? 'Done' : 'Not done'} />
      )}
      {renderBlocks(item)}
    </li>
  ));
  return token.ordered ? <ol start={token.start === '' ? 1 : token.start}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ token }: { readonly token: Tokens.Table }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll it
    <section className="table-scroll" tabIndex={0} aria-label="Table">
      <table>
        <thead>
          <tr>
            {token.header.map((cell, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other name than their place
              <th key={at} scope="col">
                {renderCell(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name than their place
            <tr key={at}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                <td key={column}>{renderCell(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const renderCell = ({ tokens }: Tokens.TableCell): ReactNode => renderTokens(tokens);

// -- inline

function renderInline(token: { readonly tokens?: Token[] | undefined }): ReactNode {
  const { tokens = [] } = token;
  return renderTokens(tokens);
}

const renderTokens = (tokens: readonly Token[]): ReactNode =>
  // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no other name than their place
  tokens.map((token, at) => <Fragment key={at}>{renderPiece(token)}</Fragment>);

function renderPiece(unknown: Token): ReactNode {
  const token = knownToken(unknown);
  switch (token.type) {
    case 'strong':
      return <strong>{renderInline(token)}</strong>;
    case 'em':
      return <em>{renderInline(token)}</em>;
    case 'del':
      return <del>{renderInline(token)}</del>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'br':
      return <br />;
    case 'link':
      return <Link href={token.href}>{renderInline(token)}</Link>;
    case 'image':
      return <ImageOfText address={token.href} name={token.text} />;
    case 'text':
      return 'tokens' in token && token.tokens ? renderInline(token) : decodeEntities(token.text);
    case 'escape':
      return token.text;
    case 'checkbox':
      return null;
    default:
      return token.raw;
  }
}

/** The name of a blob, as a model may write it for the address of an image. */
const blobAddress = /^(?:blob:)?([0-9a-f]{64})$/;

/** A blob of the session is shown; any other image is a link, for nothing is loaded from elsewhere. */
function ImageOfText({ address, name }: { readonly address: string; readonly name: string }) {
  const blob = blobAddress.exec(address)?.[1];
  if (blob !== undefined) return <BlobImage blob={blob} name={name || 'Picture'} />;
  return <Link href={address}>image: {name || 'without a name'}</Link>;
}

const safeProtocols = new Set(['http:', 'https:', 'mailto:']);

/** A link of the text. One that is not for the web is text: it could run a script. */
function Link({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const isSafe = URL.canParse(href) && safeProtocols.has(new URL(href).protocol);
  if (!isSafe) return children;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}
