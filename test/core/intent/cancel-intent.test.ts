// Stop phrases: what the promise names, letters in every form, names, languages and phrases of an embedder.
import { describe, expect, test } from 'vitest';
import { isCancelIntent, stopLexicons } from '../../../src/core/intent/cancel-intent.ts';
import { phrasesIn, type StopLexicon } from '../../../src/core/intent/lexicons/lexicon.ts';
import { maxStopPhraseChars } from '../../../src/core/intent/phrase-grammar.ts';
import { stopLanguages } from '../../../src/core/intent/stop-phrase-options.ts';

const accepted = (phrases: readonly (string | null)[], options = {}) =>
  phrases.filter((phrase) => isCancelIntent(phrase, options));

describe('the promise', () => {
  const stopWords = ['stop', 'cancel', 'never mind', 'nevermind', 'nvm', 'forget it', 'abort', 'quit'];

  test('each stop word, with lead-ins, repeated, after "no", with a tail and punctuation, in any case [intent.strict]', () => {
    const leads = [
      '',
      'ok ',
      'oh, ',
      'actually ',
      'just ',
      'please ',
      'yeah ',
      'hey ',
      'belay ',
      'hey belay, ',
      'no ',
      'no, ',
    ];
    const tails = ['', ' please', ' now', ', please!', '...', '!!!'];
    const phrases = stopWords.flatMap((word) =>
      leads.flatMap((lead) => tails.flatMap((tail) => [`${lead}${word}${tail}`, `${lead}${word} ${word}${tail}`])),
    );
    const withObject = ['stop', 'cancel', 'abort', 'quit', 'never mind'].flatMap((word) =>
      ['it', 'that', 'this', 'that please', 'it now'].map((object) => `${word} ${object}`),
    );
    const all = [...phrases, ...withObject];
    expect(all.filter((phrase) => !isCancelIntent(phrase))).toEqual([]);
    expect(all.filter((phrase) => !isCancelIntent(phrase.toUpperCase()))).toEqual([]);
  });

  test('its own examples [intent.strict]', () => {
    expect(accepted(['ok nvm', 'just stop it', 'please cancel', 'hey belay, stop'])).toHaveLength(4);
    const others = [
      'stop the music',
      "don't stop",
      'can you cancel my subscription',
      'stop worrying about it',
      'stop?',
      null,
    ];
    expect(accepted(others)).toEqual([]);
  });

  test('no lead-in, tail or name alone, and no empty text [intent.strict]', () => {
    expect(
      accepted(['', ' ', '!', 'ok', 'please', 'no', 'hey belay', 'it', 'now', 'please now', 'yeah, that']),
    ).toEqual([]);
    expect(isCancelIntent(undefined)).toBe(false);
  });
});

describe('letters', () => {
  test('full width, half width, ligatures, fancy letters [intent.strict]', () => {
    expect(accepted(['ＳＴＯＰ', 'ｽﾄｯﾌﾟ', '𝐬𝐭𝐨𝐩', 'ⓢⓣⓞⓟ', 'ſtop'])).toHaveLength(5);
  });

  test('marks of format, variation selectors, vowel signs and tatweel are not heard [intent.strict]', () => {
    expect(
      accepted(['st\u00adop', '\ufeffstop', 'stop\u200d', '\u200fتوقف\u200f', 'تَوَقَّفْ', 'توقــــف', 'stop 🛑\ufe0f']),
    ).toHaveLength(7);
  });

  test('accents may be left out, and a wrong one is another word [intent.strict]', () => {
    expect(
      accepted([
        'arrête',
        'arrete',
        'arre\u0302te',
        'ARRÊTE',
        'olvídalo',
        'olvidalo',
        'hör auf',
        'hor auf',
        'छोड़ो',
        'छोडो',
      ]),
    ).toHaveLength(10);
    expect(accepted(['arrêté', 'annulé', 'cancelé', 'égal'])).toEqual([]);
  });

  test('every apostrophe and hyphen; none inside another word [intent.strict]', () => {
    expect(
      accepted([
        "that's enough",
        'that’s enough',
        'that´s enough',
        'thats enough',
        'arrête‑toi',
        'arrête toi',
        'never-mind',
      ]),
    ).toHaveLength(7);
    expect(accepted(["we'll stop", 'non-stop', 'stop-loss'])).toEqual([]);
  });

  test('punctuation of every script; each question mark makes a question [intent.strict]', () => {
    expect(
      accepted([
        '¡para!',
        '«stop»',
        '「やめて」',
        'やめて。',
        'बंद करो।',
        '، توقف',
        '- stop -',
        '*stop*',
        'stop 😡😡',
        '停，停',
      ]),
    ).toHaveLength(10);
    expect(accepted(['stop?', 'stop ?!', '¿para?', '停？', 'توقف؟', 'stop‽', 'stop❓', 'stop⁇', 'stop⁉'])).toEqual([]);
  });

  test('a letter that is held down, a word without spaces [intent.strict]', () => {
    expect(
      accepted([
        'stooooop',
        'STOPPPPP',
        'stopstopstop',
        'nooo stop',
        'ストーーップ',
        'やめてぇぇ',
        '停停停停',
        'ستوووب',
      ]),
    ).toHaveLength(8);
    expect(accepted(['stoop', 'topstop', 'sto'])).toEqual([]);
  });

  test('a word with a doubled letter that is drawn out elsewhere, a doubled last vowel [intent.strict]', () => {
    expect(
      accepted([
        'smettilaaa',
        'smetttttila',
        'schlusssss',
        'vergisssss es',
        'annullllla',
        'bastaa',
        'noo, stop',
        'रुकोओओ',
      ]),
    ).toHaveLength(8);
    expect(accepted(['quitt', 'bass guitar', 'stoop'])).toEqual([]);
  });

  test('vowels of kana that draw out a syllable [intent.strict]', () => {
    expect(accepted(['やめてえええ', 'やめろおお', 'とまれええ', 'いいえ、やめて'])).toHaveLength(4);
    expect(accepted(['ええと', 'おおい', 'もういいえ'])).toEqual([]);
  });

  test('laughter and crying are punctuation [intent.strict]', () => {
    expect(
      accepted(['ㅋㅋㅋ 그만해', '그만해ㅠㅠㅠ', 'jajajaja para', 'kkkkkk cancela', 'stop hahahaha', 'ههههه توقف']),
    ).toHaveLength(6);
    expect(accepted(['हाहा बस करो', 'बस करो हीहीही', 'रुक जाओ हेहे'])).toHaveLength(3);
    expect(accepted(['hahaha', 'ㅋㅋㅋ', 'jajaja', 'हाहाहा', "don't hahaha stop"])).toEqual([]);
  });

  test('two letters in the wrong order, and a letter that is typed too early, in a stop word alone [intent.strict]', () => {
    const slips = [
      'sotp',
      'stpo now',
      'stpop',
      'sotpp',
      'ok cacnel it',
      'aborta',
      'abrota',
      'femrati',
      'arrtee',
      'bsata',
      'praa',
    ];
    expect(accepted(slips)).toEqual(slips);
    const others = [
      'tsop',
      'spot',
      'stoop',
      'stops',
      'alot',
      'quite',
      'battle',
      'paar',
      'non interrompere',
      'stop imemdiately',
      'sotp the music',
    ];
    expect(accepted(others)).toEqual([]);
  });

  test('the digit that a key leaves among exclamation marks [intent.strict]', () => {
    expect(accepted(['stop!!1', 'stop!!!111!1', 'Stopp!1', 'arrête !!1', 'やめて！！1', '停!!1'])).toHaveLength(6);
    expect(accepted(['stop 1', 'stop1', 'stop!10', 'stop!2'])).toEqual([]);
  });

  test('an accent that makes another word stays [intent.strict]', () => {
    expect(accepted(['sí, para', 'sì, fermati', 'è abbastanza', 'é suficiente'])).toHaveLength(4);
    expect(accepted(['si para', 'si ferma', 'e basta', 'e suficiente'])).toEqual([]);
  });
});

describe('options', () => {
  test('names of the bot, of one word or several, in any script', () => {
    const options = { names: ['Robo Rita', 'ロボ', 'ビレイ'] };
    expect(
      accepted(['hey robo rita, stop', 'stop ROBO RITA!', 'ロボ、やめて', 'ビレイさんやめて'], options),
    ).toHaveLength(4);
    expect(accepted(['hey belay, stop', 'rita stop', 'robo rita'], options)).toEqual([]);
    expect(accepted(['hey belay, stop', 'stop'], { names: [] })).toEqual(['stop']);
    expect(accepted(['ビレイ、やめて', '빌레이 그만', 'बिले, रुको', 'يا بيلاي توقف'])).toHaveLength(4); // the default name, in other scripts
  });

  test.each(stopLanguages)('%s alone knows stop, cancel, ok and hey [intent.strict]', (language) => {
    const words = ['stop', 'cancel', 'ok stop', 'okay, cancel', 'hey, stop', 'stop, ok'];
    expect(accepted(words, { languages: [language] })).toEqual(words);
  });

  test.each(stopLanguages)('%s alone knows what chats of all languages have [intent.strict]', (language) => {
    const words = ['lol stop', 'omg, cancel', 'jk stop', 'pls stop', 'sorry, cancel', 'stop thx', 'stop lol'];
    const talk = ['lol', 'pls', 'thx', 'omg sorry', 'thanks lol'];
    expect(accepted([...words, ...talk], { languages: [language] })).toEqual(words);
  });

  test('a phrase is in one language as a whole [intent.strict]', () => {
    expect(accepted(['bitte arrête', 'stop bitte', 'please para ya', 'hör auf porfa', 'やめて 停'])).toEqual([
      'stop bitte',
      'please para ya', // "please" is Spanish chat
    ]);
  });

  test('after a name of the bot a stop word stands as at the beginning [intent.strict]', () => {
    expect(accepted(['ok belay enough', 'so, hey belay, enough', 'also belay halt'])).toHaveLength(3);
    expect(accepted(['so enough', 'belay good enough', 'also halt'])).toEqual([]);
  });

  test('what adds weight, an activity of the bot, and what is enough for now, in every language [intent.strict]', () => {
    const phrases = [
      ['seriously, stop', 'im ernst hör auf', 'sérieux arrête', 'en serio cállate', 'sul serio smettila', 'sério para'],
      ['まじで止めて', '说真的停', '진심이야 그만', 'sach mein ruko', 'عن جد وقف'],
      ['stop explaining', 'hör auf zu lesen', 'arrête de lire', 'deja de leer', 'smetti di leggere', 'para de ler'],
      ['読むのやめて', '别念了', '읽는 거 그만해', 'पढ़ना बंद करो', 'بطل قراءة'],
      [
        "that's enough for now",
        'fürs erste stopp',
        "pour l'instant ça suffit",
        'por ahora basta',
        'per ora basta',
        'por agora chega',
      ],
    ].flat();
    expect(phrases.filter((phrase) => !isCancelIntent(phrase))).toEqual([]);
    const others = [
      'seriously',
      'im ernst',
      'assez sérieux',
      'en serio para eso',
      'sul serio',
      '진심이야',
      'بس عادي',
      'for now',
      'stop the translation',
      '번역 취소',
    ];
    expect(accepted(others)).toEqual([]);
  });

  test('languages: a phrase is in one of those that count', () => {
    expect(accepted(['stopp', 'brich ab', 'forget it'], { languages: ['de'] })).toEqual(['stopp', 'brich ab']);
    expect(accepted(['stop', 'para'], { languages: [] })).toEqual([]);
    expect(accepted(['no para', 'no, para'])).toEqual(['no, para']); // "no" is English there, "para" is not
  });

  test('phrases of an embedder, with the lead-ins and closing words of the languages', () => {
    const options = { extra: ['Stand down', 'mets-toi au repos'] };
    expect(accepted(['stand down', 'please STAND DOWN now!', 'mets toi au repos', 'stop'], options)).toHaveLength(4);
    expect(accepted(['stand', 'stand down it'], options)).toEqual([]);
  });

  test('a lexicon of an embedder', () => {
    const dutch: StopLexicon = {
      language: 'nl',
      lead: 'oké / hé / nee',
      stop: 'stop / hou (ermee|daarmee) op',
      stopWithoutObject: 'laat maar',
      alone: 'hoeft niet',
      object: 'dat',
      between: 'nu',
      tail: 'nu / alsjeblieft',
    };
    const phrases = [
      'oké, laat maar',
      'hou nu ermee op',
      'hou ermee nu op alsjeblieft',
      'stop dat nu',
      'nee, hoeft niet',
    ];
    expect(accepted(phrases, { languages: [dutch, 'en'] })).toEqual(phrases);
    expect(accepted(['hoeft niet stop', 'laat maar dat', 'laat maar stop'], { languages: [dutch] })).toEqual([
      'laat maar stop',
    ]);
  });
});

describe('a lexicon', () => {
  const lexicon: StopLexicon = {
    language: 'x',
    lead: 'can you / please',
    stop: 'stop / ruko / chhod do',
    stopWithoutObject: '',
    alone: '',
    object: 'bus',
    tail: 'please',
    talk: 'bus stop / stop bus please',
    spellings: 'you: u|ya / please: pls|plz',
    transliteration: 'chh=ch / oo=u',
  };
  const inIt = (texts: readonly string[]) => accepted(texts, { languages: [lexicon] });

  test('talk: phrases that make a text talk, wherever they stand in it [intent.strict]', () => {
    expect(inIt(['stop bus', 'please stop bus', 'stop bus please', 'please stop bus please', 'stop please'])).toEqual([
      'stop bus',
      'please stop bus',
      'stop please',
    ]);
  });

  test('other spellings of a word count wherever the word does [intent.strict]', () => {
    expect(inIt(['can u stop', 'can ya stop plz', 'pls stop', 'plzzz stop'])).toHaveLength(4);
    expect(inIt(['stop bus pls', 'u stop'])).toEqual([]);
  });

  test('a transliterated word in another spelling; short and English words are spelled in one way [intent.strict]', () => {
    expect(inIt(['rooko', 'chod do', 'chodd do'])).toHaveLength(3);
    expect(inIt(['rok', 'stoop', 'chod du'])).toEqual([]);
  });
});

describe('answers', () => {
  // to a question of the bot ("Shall I tell the team, too?"), while other work of the speaker runs
  const answers = `
    no thanks / no, thank you / that's all / that's all, thanks / no gracias / eso es todo / es todo, gracias / nada más / ya no / non merci / c'est tout
    / ce sera tout, merci / nein danke / das ist alles / das war's / não obrigado / não, obrigada / é só isso / isso é tudo / no grazie / no, grazie / è tutto / nient'altro
    / いいえ、結構です / 結構です / 以上 / 以上です / 不，谢谢 / 就这些 / 就这样 / 아니요 괜찮아요 / 그게 다야 / नहीं धन्यवाद / और कुछ नहीं / لا شكرا / la shukran / هذا كل شيء`;
  const wishes = `
    i want to stop / quiero parar / je veux arrêter / ich will aufhören / quero parar / voglio smettere / やめたい / 我想停 / 我要取消 / 그만하고 싶어 / मैं रुकना चाहता हूँ / أريد التوقف`;

  const others = `
    nothing / nada / rien / nichts / niente / 何も / कुछ नहीं / kuch nahi / لا شيء / better not / mejor no / lieber nicht / melhor não / meglio di no
    / i'm done / ya terminé / j'ai fini / terminé / wir sind fertig / terminei / acabou / ho finito / finito / 做完了 / 끝 / 다 끝 / हो गया / انتهى / خلصنا`;
  const otherWork = `
    close it / turn it off / termina / acaba / aus / 切って / なしで / 닫아 / 꺼 / 죽여 / 停机 / 停工 / سكر / اغلق / واقف`;

  test.each([
    ['no thanks, that is all', answers],
    ['I want to stop', wishes],
    ['nothing, better not, done', others],
    ['work that is no stop without an object', otherWork],
  ])('%s: talk in every language [intent.strict]', (_, phrases) => {
    expect(accepted(phrasesIn(phrases))).toEqual([]);
  });

  test('beside a stop word they are lead-ins [intent.strict]', () => {
    const phrases = ['no thanks, stop', 'no gracias, cancela', 'non merci, arrête', 'nein danke, hör auf'];
    expect(accepted(phrases)).toEqual(phrases);
  });
});

describe('a stop word that is another word, too', () => {
  const talk = `
    para hoy / para entonces / para este / para então / para senhor / chega logo / assez vite / halt mal / halt so / halt heute / halt einfach / बस आज / bas yahi / بس اليوم / بس هنا
    / まとめて / それまとめてください / 别弄错了 / 停好了 / 停了 / 고만고만해 / وقف شوي`;
  const stops = `
    para / para ya / chega / chega já / assez / halt / halt jetzt / bas / بس / بس خلاص / まあ、とめて / 别弄了 / 停 / 把它停了 / 그만해 / وقف`;

  test('is talk with the closing words of the other one, and stops without them [intent.strict]', () => {
    expect(accepted(phrasesIn(talk))).toEqual([]);
    expect(accepted(phrasesIn(stops))).toEqual(phrasesIn(stops));
  });
});

describe('do nothing', () => {
  test('stops in every language, and with a condition it does not [intent.strict]', () => {
    const phrases = phrasesIn(`
      don't do anything / no hagas nada / ne fais rien / mach nichts mehr / não faça nada / non fare niente / 何もしないで / 什么都别做了 / 아무것도 하지 마 / कुछ मत करो
      / kuch mat karo / لا تفعل شيئا`);
    expect(accepted(phrases)).toEqual(phrases);
    const talk = [
      "don't do anything rash",
      'no hagas nada sin mí',
      'ne fais rien sans moi',
      'mach nichts kaputt',
      'macht nichts kaputt',
    ];
    expect(accepted(talk)).toEqual([]);
  });
});

describe('no need to continue', () => {
  test('stops in every language, and leaves other needs alone [intent.strict]', () => {
    const phrases = phrasesIn(`
      no need to continue / no hace falta que sigas / pas besoin de continuer / du brauchst nicht weitermachen / não precisa continuar / non serve continuare / 続けなくていい / 不用继续
      / 계속할 필요 없어 / जारी रखने की ज़रूरत नहीं / لا داعي للمتابعة`);
    expect(accepted(phrases)).toEqual(phrases);
    expect(
      accepted(['no hace falta que vengas', 'pas besoin de réserver', 'non serve prenotare', 'لا داعي للقلق']),
    ).toEqual([]);
  });
});

describe('the lexicons', () => {
  test.each(stopLanguages)('%s: every phrase is well formed', (language) => {
    const { language: code, spellings: _, transliteration: __, ...fields } = stopLexicons[language];
    expect(code).toBe(language);
    const phrases = Object.values(fields).flatMap(phrasesIn);
    expect(phrases.length).toBeGreaterThan(100);
    expect(phrases.filter((phrase) => /[()|?]|^,/.test(phrase) || phrase !== phrase.toLowerCase())).toEqual([]);
  });

  test.each(stopLanguages)(
    '%s: each stop phrase stops',
    (language) => {
      const { stop, stopWithoutObject, alone, withoutLead = '' } = stopLexicons[language];
      const phrases = [stop, stopWithoutObject, alone, withoutLead].flatMap(phrasesIn);
      const options = { languages: [stopLexicons[language]] }; // one object, for which the grammar is compiled once
      expect(phrases.filter((phrase) => !isCancelIntent(phrase, options))).toEqual([]);
      expect(Math.max(...phrases.map(({ length }) => length))).toBeLessThan(maxStopPhraseChars);
    },
    60_000,
  );
});
