// Decides whether words only show that somebody listens, like "mhm" or "okay, I see": they are no reason to end what is being said.
//
// A whole text of such words counts, and no other: "yeah, but" has something to say. A stop phrase made of them ("vale ya") is none.
import { isCancelIntent } from './cancel-intent.ts';
import type { StopLanguage } from './stop-phrase-options.ts';

/** The words and phrases of each language, separated by slashes. Drawn-out letters and repetitions need no entry of their own. */
const backchannels: Readonly<Record<StopLanguage, string>> = {
  en: 'mhm / mm / mm hm / uh huh / uhhuh / hm / m / ah / oh / aha / huh / yeah / yep / yup / yes / ok / okay / alright / all right / right / sure / i see / got it / wow / cool / really / of course',
  es: 'ajá / aja / mjm / ya / sí / vale / claro / ah / oh / eh / ya veo / entiendo / ok / bueno / de acuerdo / por supuesto / vaya',
  fr: 'mhm / hum / ouais / oui / ah / oh / ah bon / ok / okay / d accord / je vois / bien sûr / voilà / tout à fait / exact / mouais',
  de: 'mhm / hm / aha / ach so / achso / ach / ja / jo / jap / genau / ok / okay / klar / alles klar / verstehe / ich verstehe / stimmt / gut / na gut / ach ja / oh / echt',
  it: 'mhm / ehm / ah / oh / sì / già / ok / okay / certo / capisco / ho capito / va bene / esatto / ah sì / davvero',
  pt: 'aham / uhum / uhm / hum / hum hum / ah / oh / é / sim / tá / tá bom / ok / okay / certo / claro / entendi / pois / pois é / sei / beleza',
  ja: 'うん / ええ / はい / へえ / へー / ほう / ああ / なるほど / そう / そうですか / そうですね / そっか / ふん / ふうん / わかりました / オーケー',
  ko: '응 / 음 / 네 / 예 / 아 / 아하 / 어 / 그래 / 그래요 / 그렇구나 / 그렇군요 / 맞아 / 맞아요 / 알겠어 / 알겠어요 / 알겠습니다 / 오케이',
  zh: '嗯 / 嗯哼 / 哦 / 噢 / 喔 / 啊 / 对 / 對 / 是 / 是的 / 好 / 好的 / 行 / 明白 / 知道了 / 我知道了 / 这样啊 / 這樣啊 / 原来如此 / 原來如此 / 没错 / 沒錯',
  ar: 'اها / اه / امم / مم / نعم / ايوه / ايوا / اي / طيب / تمام / حسنا / فهمت / صحيح / اكيد / ماشي',
  hi: 'हाँ / हां / हूँ / हूं / हम्म / जी / जी हाँ / अच्छा / ठीक / ठीक है / सही / सही है / समझ गया / समझ गई / ओके / ओह',
};

/** The limit of a text, in characters: it bounds the work. */
const maxChars = 60;
/** The numbers of words that a phrase may have. */
const phraseLengths = [1, 2, 3] as const;

const latinAccents = /[\u0300-\u036f]/g;
const noWord = /[^\p{L}\p{M}\p{N}]+/gu;
const arabicSigns = /[\u064b-\u0652\u0640]/g;
const arabicAlef = /[أإآ]/g;
const drawnOut = /(\p{L})\1+/gu;
/** A word that repeats a part of itself: `うんうん`. */
const repeated = /^(.+?)\1+$/u;

/** Returns the words of a text in their plainest spelling, each without what is drawn out or repeated in it. */
function wordsOf(text: string): readonly string[] {
  const plain = text
    .normalize('NFC')
    .replaceAll(arabicAlef, 'ا')
    .replaceAll(arabicSigns, '')
    .normalize('NFKD')
    .replaceAll(latinAccents, '')
    .normalize('NFC')
    .toLowerCase();
  const words = plain.split(noWord).filter((word) => word !== '');
  return words.map((word) => word.replaceAll(drawnOut, '$1').replace(repeated, '$1').replaceAll('ー', ''));
}

const phrases: ReadonlySet<string> = new Set(
  Object.values(backchannels).flatMap((list) => list.split(' / ').map((phrase) => wordsOf(phrase).join(' '))),
);

/** Whether a text has nothing but backchannels, of any of the eleven languages. */
export function isBackchannel(text: string): boolean {
  if (text.length > maxChars) return false;
  const words = wordsOf(text);
  /** Whether the words before each place are backchannels. */
  const reached = [true];
  for (let place = 1; place <= words.length; place++)
    reached[place] = phraseLengths.some(
      (count) => reached[place - count] === true && phrases.has(words.slice(place - count, place).join(' ')),
    );
  return words.length > 0 && reached[words.length] === true && !isCancelIntent(text);
}
