// Stop phrases in Hindi, in Devanagari and as people type it in Latin letters.
import type { StopLexicon } from './lexicon.ts';

export const hindi: StopLexicon = {
  language: 'hi',
  lead: `
    (ओके|ओ के|ठीक है|ठीक|अच्छा|अच्छा ठीक है|ठीक है ठीक है|चलो ठीक है|हाँ|हां|हाँ हाँ|हां हां|हाँ जी|हां जी|जी|जी हाँ|बढ़िया|सही है) / (अरे|अरे यार|अरे भाई|ओह|ओहो|ओ|ओए|अबे|उफ़|उफ|हे|हेलो|हैलो|हाय|नमस्ते|सुनो|सुनिए|सुन|सुनो ना|देखो|देखिए|चलो|चलिए|चल|यार|भाई|दोस्त|भैया)
    / (नहीं|नही|नहीं नहीं|नही नही|ना,|ना ना,|न न,|नो) / (प्लीज़|प्लीज|प्लिज़|कृपया|कृपा करके|कृपया करके|मेहरबानी करके|मेहरबानी से) / (अब|अभी|अभी के अभी|तुरंत|फौरन|फ़ौरन|जल्दी|जल्दी से|पहले|ज़रा|जरा|थोड़ा|बस|बस अब|एक मिनट|एक सेकंड|एक सेकेंड|रुको रुको)
    / (माफ़ करना|माफ करना|माफ़ कीजिए|माफ कीजिए|माफ़ी|सॉरी|धन्यवाद|शुक्रिया|असल में|वैसे|दरअसल|फिर|तो|मतलब|मैंने कहा|मैने कहा|मैंने बोला|कहा ना|बोला ना|तुम|आप|तू|सच में|यहीं|यहाँ|यही|मेरा मन बदल गया|मन बदल गया|हे भगवान|बॉट|रोबोट)
    / (ok|okay|theek hai|thik hai|theek|thik|acha|accha|achha|haan|han|ha|ji|arre|arey|oye|oh|abe|yaar|yar|bhai|suno|sun|dekho|chalo|chal|nahi|nahin|nai|na,|no|please|plz|pls|plss|kripya|ab|abhi|turant|jaldi|zara|jara|bas|ek minute|ek min|sorry|shukriya|dhanyavad|phir|fir|maine kaha|hey|hi|hello|bot)
    / (क्या |)(आप|तुम|तू)( प्लीज़| प्लीज| कृपया| अब| ज़रा|) / (मैं |मैं बस |)(चाहता|चाहती) (हूँ|हूं) (कि|की) / (kya |)(tum|aap|tu)( please| plz| ab| zara|) / (main |mai |)chahta (hu|hoon|hun) ki / (मैंने|मैने|maine|mene) (बोला|कहा|bola|kaha|बोला ना|कहा ना|kaha na|bola na)( कि| था| ki| tha|) / (कहा|बोला|kaha|bola) (ना|na) / (मेरा |)मन बदल गया( है|) / मैंने मन बदल लिया / (mera |)(mann|man|mood) badal gaya( hai|) / (abe|abey|oye|oy|are|arrey|hey|hii|hello|bro|bhaiya|boss|dost|guru|nahiii|ruk|accha|acchha|haa|omg|lol|yrr|yr|plss|plzz|pliz|sunno|suniye|sach me|jldi|jaldi se|jaldi jaldi|ab bas|bhagwan ke liye|chup) / (भगवान के लिए|ओय|अबे यार|बस बस|जल्दी जल्दी|अब बस|पागल|सुनो ज़रा|हाय राम|उफ़्फ़|उफ़) / (गलत है|ग़लत है|galat hai|galat), / असल में
    / (कोई बात|कोई|koi baat|koi bat|koi) (नहीं|nahi) / मैं (चाहता|चाहती) (हूँ|हूं) (तुम|आप|तू) / main (chahta|chahti) hoon (ki |)(tum|aap|tu) / (क्या |)(आप|तुम|तू) (कृपया |प्लीज़ |) / (चलो|चलिए|chalo|chaliye) (अब|यार|ab|yaar|bhai) / (छोड़ो|chhodo|रहने दो|rehne do) (यार|yaar) / (thanks|thank you|thank u|थैंक्स|थैंक यू|शुक्रिया|थैंक्यू)
    / (बेवकूफ|मूर्ख|गधे|bewakoof|gadhe|idiot) / abhi ke abhi
    / (मिल गया|mil gaya) / बिलकुल / बिल्कुल / bilkul / (कोई |)फर्क नहीं पड़ता / (गलती|ग़लती|galti) (से |se |)(हो गई|हो गयी|हो गया|ho gayi|ho gai|ho gaya)`,
  objectBefore: `
    (इसे|इसको|यह|ये|वह|वो|उसे|उसको|सब|सब कुछ|सबकुछ|यह सब|ये सब|वो सब|सारा|इन सबको|इस सब को|यह काम|ये काम|इसे भी|पूरा) / (ise|isko|isse|ye|yeh|yah|woh|usko|sab|sab kuch|ye sab|yeh sab|wo sab)
    / इन्हें / इनको / इस काम को / ये काम / ये वाला / इस सब को / सारे काम / सब काम / काम / kaam / ye kaam / yeh kaam / is kaam ko / isse / ise bhi / sabko / inko / usse / use / ye wala / sara / sara kaam / poora`,
  stop: `
    रुको / रुकिए / रुकिये / रुकें / रुक / रुको रुको / (वहीं|यहीं|vahin|wahin|yahin) (रुक जाओ|रुको|रुक|ruk jao|ruko) / रुक (जाओ|जाइए|जाइये|जा|जाएं|जाएँ|जाना) / रुकना / रूको / रूक जाओ / रूकिए / रोको / रोकिए / रोकिये / रोकें / रोक (दो|दीजिए|दीजिये|दें|दे|ले|लो) / रोकना
    / (बंद|बन्द|रद्द|रद|कैंसल|कैंसिल|केंसल|केंसिल|कैन्सल|कैन्सिल|निरस्त|स्टॉप|स्टाप|समाप्त|ख़त्म|खत्म|ख़तम|खतम|एबॉर्ट|stop|cancel) (करो|कर|कर दो|कर दे|कर दें|कर दीजिए|कर दीजिये|कर देना|करें|करिए|करिये|कीजिए|कीजिये|करना|करदो|करो ना|कर दो ना|हो जाओ|करवा दो)
    / कैंसल / कैंसिल / केंसल / केंसिल / कैन्सल / स्टॉप / स्टाप / रद्द / stop / cancel / abort / nvm / करना बंद (करो|कर दो|करें|कीजिए) / बोलना बंद (करो|कर दो|करें|कीजिए) / लिखना बंद (करो|कर दो|करें|कीजिए)
    / (ruko|rukho|rukiye|rukie|ruk|ruk jao|ruk ja|ruk jaiye|ruk jaao|rukjao|roko|rokiye|rok do|rok de|rok dijiye) / (band|bandh|cancel|stop|radd|khatam|abort) (karo|kar|kar do|kar de|kardo|kar dijiye|kijiye|kijie|karen|karein|kariye|karna)
    / रुकोओ / रुकजाओ / रुक जाओ / रुक भी जाओ / रुक जाइएगा / थम जाओ / थमो / रोक दो / रोको ना / रोको भी / रोक दीजिएगा / रुक सकते (हैं|हो|है) / रुक सकती (हैं|हो|है) / (रोक|बंद कर|रद्द कर|छोड़|कैंसल कर) (सकते|सकती) (हैं|हो|है) / (ruk|rok|band kar|cancel kar|chhod|chod|stop kar) (sakte|sakti) (ho|hain|hai) / (बंद|बन्द|रद्द|कैंसल|कैंसिल|स्टॉप|खत्म|ख़त्म|stop|cancel|समाप्त|kill|किल) (करो|करो भी|करो यार|करदो|कर दो|कर डालो|करदे|कर दीजिएगा|करना|कर दो भाई|कर) / (खत्म|ख़त्म) (करो|कर दो|करें|कीजिए) / मार (दो|डालो) / (maar|mar) (do|daalo|dalo)
    / (बोलना|लिखना|खोजना|ढूँढना|ढूंढना|काम|काम करना|बात करना|सोचना|चलाना) (बंद|बन्द|रोक) (करो|कर दो|करें|कीजिए|दो) / (बोलना|लिखना|खोजना|काम|ढूँढना) (रोको|छोड़ो|छोड़ दो) / (bolna|likhna|khojna|kaam|dhundna|baat karna|sochna) (band karo|band kro|band kar do|band kardo|roko|rok do|chhodo|band kr do)
    / (छोड़|छोड़ो|छोड़ दो|छोड़ दे|छोड़िए|रहने दो|रहने दीजिए|जाने दो|भूल जाओ|छोड़ दीजिए) / (chhodo|chodo|chhod do|chod do|chhod de|chod de|choro|chhoro|rehne do|rhne do|rahne do|rehne de|jaane do|jane do|bhool jao|bhul jao|bhool ja|chhor do|chorr do)
    / (band|bnd|bandh|bund|cancel|cancl|cansel|stop|radd|rad|khatam|khtm|kill|abort) (kro|kr|kr do|krdo|karo na|kar na|karde|kr de|krde|karo bhai|kar do na|kijiye|karna|karo|kar|kar do|kardo|karo yaar|kar dijiye|kr dijiye) / (ruk|ruko|rukk|rukoo|rko|ruk ja|ruk jao|rukjao|ruk jaa|ruk jana|ruk bhi jao|ruk na|ruko na|rukiye|rukiyega|ruk jaiye) / (rok|roko|rok do|rokdo|rok de|rokde|rok dena|roko na) / bas
    / (चलो|चलिए) (अब |)(बंद|बस|खत्म|रोक|छोड़|रद्द) (करते|देते) हैं / (chalo|chaliye) (ab |)(band|bas|khatam|rok|chhod|cancel) (karte|dete) hain / (चलो|chalo) (यहीं |yahin |)(रुकते|rukte) (हैं|hain) / (बंद|band|stop|cancel|कैंसल) (करेंगे|करोगे|karoge|karenge)
    / (रुक|रोक|चुप हो|बंद कर) (सकते|सकती) (हो|हैं) क्या / (ruk|rok|chup ho|band kar) (sakte|sakti) (ho|hain) kya
    / (बस|bas) (कर दो|कर दीजिए|kar do|kardo)`,
  stopWithoutObject: `
    बस / बस (करो|कर|कीजिए|कीजिये|करिए|करिये|करें|भी करो|बहुत हुआ|हो गया|बस|काफी है|काफ़ी है|रहने दो) / अब बस / बहुत (हुआ|हो गया) / (इतना|इतना ही) (काफी|काफ़ी|बहुत) है
    / छोड़ो / छोड़ो इसे / छोड़ (दो|दे|दीजिए|दीजिये|दें|भी दो) / छोड़िए / छोड़िये / छोड़ / छोड़ें / छोड़ो ये सब / (इसे|इसको|ये|यह|वो|सब|ये सब|यह सब) (छोड़ो|छोड़ दो|छोड़िए|छोड़ दीजिए|रहने दो|रहने दीजिए|जाने दो|भूल जाओ|भूल जाइए)
    / रहने (दो|दे|दीजिए|दीजिये|दें|भी दो) / रहने ही दो / जाने (दो|दे|दीजिए|दीजिये|दें|भी दो) / भूल (जाओ|जाइए|जाइये|जा|जाएं|जाएँ) / मेरी बात (भूल जाओ|छोड़ो|जाने दो)
    / (bass|bs) (karo|kro|kar) / (bas karo|bas kar|bas bas|bas kijiye|bas bhi karo|bas ho gaya|bahut hua|bahut ho gaya|kaafi hai|kafi hai) / (chhodo|chodo|choro|chhoro|chhod do|chod do|chhod de|rehne do|rahne do|rehne de|rehne dijiye|jaane do|jane do|bhool jao|bhul jao|bhool ja|khalas)
    / (चुप|chup) / (चुप|chup) (रहो|रह|रहिए|करो|कर|हो जाओ|हो जा|हो जाइए|बैठो|raho|reh|rahiye|karo|kro|kar|ho jao|ho ja|baitho|bilkul) / खामोश / ख़ामोश / शांत / शांत (रहो|हो जाओ|हो जाइए|रहिए) / khamosh / shaant / shant / shaant (raho|ho jao|rho) / shant (raho|ho jao) / (मुँह|मुंह|muh|munh|mooh) (बंद|band) (करो|रखो|कर|करिए|karo|kro|rakho|kar) / बकवास बंद करो / bakwas band karo
    / (बस|bas) (बस|करो|कर|करो यार|करो भी|कीजिए|बहुत हुआ|बहुत हो गया|हो गया|अब|रहने दो|यार|bas|karo|kro|kar|kr|karo na|karo yaar|karo bhai|bahut hua|bohot hua|bahut ho gaya|ho gaya|ab|yaar|rehne do|kijiye) / (बहुत|काफी|काफ़ी|बोहोत|bahut|bohot|bohut|kafi|kaafi) (हुआ|हो गया|हो चुका|है|hua|ho gaya|ho chuka|hai|ho gya) / (इतना|इतना ही|itna|itna hi|yahi|ye) (काफी|काफ़ी|बहुत|kaafi|kafi|bahut|bohot) (है|hai) / (यहीं|यहीं पर|यहाँ|yahin|yahi) (तक|रुको|खत्म|tak|ruko) / (हो|ho) (गया|gaya) (बस|bas) / ab bas / ab bas karo / अब बस / अब बस करो / ab rehne do / bhaad me jao
    / (चुप|शांत) (हो|रह) (सकते|सकती) (हैं|हो) / (chup|shant) (ho|reh) (sakte|sakti) (hain|ho) / (chup|चुप) (be|bey|बे|oye|kr|ho|hojao|hoja|हो|एकदम|bilkul|बिलकुल) / (muh|मुंह|मुँह) (band|बंद) (rakh|rakho|रखो|kar|kr) / (मत|mat) (बोलो|बोलिए|बोल|बोलना|लिखो|खोजो|bolo|bol|boliye|bolna|likho|khojo) / (rehne|रहने) (de|दे|do|दो) (yaar|bhai|यार|भाई) / (स्टॉप|stop) (इट|it)
    / अपना (मुंह|मुँह) बंद (करो|कर|रखो) / (jane|jaane) de (yaar|bhai)
    / (chhod|chod|छोड़|छोड) (na |ना |)(yaar|यार|bhai|भाई|na|ना)`,
  alone: `
    कुछ (भी |)(मत|ना) (करो|कीजिए|करना) / kuch (bhi |)(mat|na) (karo|kro|karna|kijiye) / (आगे |)जारी रखने की (ज़रूरत|जरूरत) नहीं( है|) / (मत|मत ही) (करो|कीजिए|कीजिये|करें|कर|करिए|करना) / (ऐसा|यह|ये|इसे|और|आगे|अब) मत (करो|कीजिए|करें|कर|करना|बढ़ो|चलाओ) / (अब |कोई |इसकी |अब कोई |अब इसकी |)(ज़रूरत|जरूरत|आवश्यकता) नहीं( है|) / अब नहीं चाहिए / (अब |)(ये|यह) नहीं चाहिए / कोई बात नहीं / mat karo / aisa mat karo / zarurat nahi / ab zarurat nahi / koi baat nahi
    / (आगे|aage) (मत|mat|na) (बढ़ो|बढ़िए|जाओ|करो|badho|badhiye|jao|karo|badhna) / (जारी|चालू) (मत|न|ना) (रखो|रखिए|रखें|रखना) / (jaari|jari|chalu) (mat|na) (rakho|rakhe|rakhna|rakhiye) / (ये|यह|वो|इसे|ऐसा|और|अब|ye|yeh|wo|ise|aisa|aur|ab|isko) (मत|mat) (करो|कर|करना|कीजिए|करिए|karo|kro|kar|karna|kr|kijiye) / (mat|मत) (karo|kro|kar|kr|karna|kariye|करो|कर|करना|करिए) / (अब |ab |koi |)(ज़रूरत|जरूरत|zarurat|zaroorat|jarurat|jaroorat|zrurat) (नहीं|nahi|nhi|nahin)( है| hai|) / (अब |ab |)(नहीं|nahi|nhi) (चाहिए|chahiye)( अब| ab|) / (कोई बात|koi baat|koi bat) (नहीं|nahi|nhi|nahin) / (कोई फर्क नहीं पड़ता|koi farak nahi padta)
    / मत (करो|कीजिए|करिए|करना) (ये|यह|ऐसा|इसे|ये सब) / mat (karo|kro|kar|karna) (ye|yeh|aisa|isko|ye sab)
    / (और|अब|aur|ab) (मत|mat) (बोलो|लिखो|करो|bolo|likho|karo)`,
  between: 'भी / bhi',
  object: `
    इसे / इसको / यह / ये / वह / वो / उसे / सब / सब कुछ / यह सब / ये सब / ise / isko / ye / yeh / sab / ye sab / sab kuch
    / इन्हें / इनको / ये काम / यह काम / इस काम को / वो सब / उसको / सबको / सारा / सारा काम / isse / wo / woh / wo sab / usko / usse / yeh sab / inko / ye kaam / sara / sabkuch / isko / use / काम / kaam`,
  tail: `
    (प्लीज़|प्लीज|प्लिज़|कृपया|ना|न|ना प्लीज़|ना प्लीज|ना यार|यार|भाई|दोस्त|भैया|जी|तो|ज़रा|जरा) / (अभी|अभी के अभी|इसी वक्त|इसी वक़्त|तुरंत|फौरन|फ़ौरन|अब|जल्दी|जल्दी से|यहीं|यहाँ|यही|यहीं पर|वहीं|पूरा|पूरी तरह|फिर|फिलहाल|अभी के लिए) / (धन्यवाद|शुक्रिया|थैंक्यू|थैंक यू|थैंक्स|सॉरी|माफ़ करना|माफ करना|ठीक है|ओके|बॉट|मैंने कहा|मैंने कहा ना|मेरा मन बदल गया)
    / (please|plz|pls|na|yaar|yar|bhai|ji|abhi|ab|turant|jaldi|thanks|thank you|sorry|ok|okay|bot|yahin)
    / करो ना / ना भाई / यार / यार प्लीज़ / करो यार / भी / ही / सब / इसे / प्लीज़ यार / (na|naa|yr|yrr|yaar|bhai|bro|boss|lol|xd|haha|plss|plzz|pliz|pls|plz|please|isko|ise|yahi|kro|jaldi se|jldi|sab|na yaar|na bhai|ab|thik hai|theek hai|accha|ok|shukriya|dhanyawad|meherbani|bas|bhi|zara|galat hai|galat file) / (मैंने कहा|मैं खुद कर लूँगा|main khud kar lunga|गलत है|ग़लत है|ज़रा|तुरंत|अच्छा|आज|aaj|हाँ|नहीं|था|था ना|tha|tha na|भैया जी|काफी है)
    / (बे|be|बस|bohot hua|(गलती|ग़लती|galti|galati) (हो गई|हो गयी|ho gayi|ho gai|thi|थी)|ठीक है)
    / (बेवकूफ|मूर्ख|गधे|bewakoof|gadhe|idiot) / (मिल गया|mil gaya)
    / (pagal|पागल|gadhe|गधे|bewakoof|बेवकूफ) / (मीटिंग|meeting) (में|me|mein) (हूँ|हूं|hu|hoon)`,
  spellings: `
    zara: jara|zra|jra / nahi: nhi|nai|nahin|nahee|ni|nahii / kar: kr / karo: kro|krro / jao: jaao / hai: h|he|hy / hain: hen|hein / gaya: gya|gyaa|gaya / mat: mt / theek: thk|tik|thik / rehne: rhne|rahne|rhene|rehene / please: plz|pls|plss|plzz|pliz|plij|plees / main: mai|mein / hoon: hu|hun / kya: kia|kyaa / bahut: bohot|bohut|bhot|bht|bahot|boht / achha: acha|accha|acchha / zarurat: jarurat|zaroorat|jaroorat|zrurat|zarurt / chhodo: chodo|choro|chhoro|choddo / chhod: chod|chhor / bhool: bhul / band: bnd|bandh|bund|bandd / thanks: thanku|thnx|thx / yaar: yr|yar|yrr|yaara / bhai: bhaii|bhay|bhy|bhaiya / khatam: khtm|khatm|khattam / karte: krte / shant: shaant / koi: koyi / muh: munh|mooh|muu|mu / ise: isse|isey / sab: sub`,
  transliteration: `
    chh=ch / aa=a / ee=i / oo=u / ph=f / w=v / z=j`,
  talk: `
    (बस|bas) (यही|आज|वहीं|yahi|aaj) /
    (बस|bus) (स्टॉप|स्टाप|stop) / जल्दी मत / jaldi mat / (ज़रा|थोड़ा|थोड़ी देर|मिनट|सेकंड|सेकेंड|मिनिट|पल) (रुको|रुक|रुकिए|रुकें|रुकना|रूको) / (एक|दो|पाँच|पांच|कुछ) (मिनट|सेकंड|सेकेंड|मिनिट|पल) (रुको|रुक|रुकिए|रुकें|रुकना|रूको) / (रुको|रुकिए|रुक|रुकें|रूको) (ज़रा|थोड़ा|थोड़ी देर|एक मिनट|एक सेकंड|एक सेकेंड) / (zara|thoda|thodi der) (ruko|ruk|rukiye|rukna) / (ek|do|kuch) (min|minute|second|sec) (ruko|ruk|rukiye|rukna) / (ruko|ruk|rukiye) (zara|thoda|thodi der|ek min|ek minute|ek second|ek sec)
    / (रुकना|rukna) (नहीं|nahi|nhi) / (बस|bas) (ठीक है|theek hai) / (उसे|उसको|usko|use) (जाने|jaane|jane) (दो|do|de) / (उसे|उसको|usko|use) (रोको|रोक|रोकिए|रोकें|चुप|roko|rok|chup) / (काम|kaam) (खत्म|ख़त्म|समाप्त|khatam)`,
};
