/** What Chinese names are made of, and the words for persons that are no names. */

const surnames = new Set(
  '王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何林罗羅高郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾萧蕭肖田董袁潘于蒋蔣蔡余杜叶葉程苏蘇魏吕呂丁任沈姚卢盧姜崔钟鐘谭譚陆陸汪范金石廖贾賈夏韦韋方白邹鄒孟熊秦邱江尹薛闫段雷侯龙龍史陶黎贺賀顾顧毛郝龚龔邵万萬钱錢严嚴武戴莫孔向汤湯常温溫康施文牛樊葛邢安齐齊易乔喬伍庞龐颜顏倪庄莊聂聶章鲁魯岳翟殷詹申欧歐耿关關兰蘭焦俞左柳甘祝包宁寧尚符舒阮柯纪紀梅童凌毕畢单單季裴霍涂成苗谷盛曲翁冉骆駱蓝藍路游辛靳管柴蒙鲍鮑华華喻祁蒲房滕屈饶饒解牟艾尤阳陽时時穆农農司卓古吉缪繆简簡车車项項连連芦蘆麦麥褚娄婁窦竇戚岑景党黨宫宮费費卜冷晏席卫衛米柏宗瞿桂全佟应應臧闵閔苟邬鄔边邊姬师師和仇栾欒隋商刁沙荣榮巫寇桑郎甄丛叢仲虞敖巩鞏明佘池查麻苑迟遲邝鄺花妙凤鳳'.split(
    '',
  ),
);
const doubleSurnames = new Set(
  '诸葛 諸葛 司马 司馬 欧阳 歐陽 夏侯 上官 皇甫 尉迟 尉遲 公孙 公孫 慕容 令狐 东方 東方 独孤 獨孤 司徒 长孙 長孫 宇文 轩辕 軒轅 南宫 南宮 西门 西門 端木 百里 呼延'.split(
    ' ',
  ),
);

export function startsWithSurname(word: string): boolean {
  return surnames.has(word.charAt(0)) || doubleSurnames.has(word.slice(0, 2));
}

export function isSurname(word: string): boolean {
  return surnames.has(word) || doubleSurnames.has(word);
}

export function endsLikePlace(word: string): boolean {
  return /[州城郡县縣山江河湖海关關国國府寺庙廟宫宮村镇鎮岛島谷峰院阁閣楼樓门門派宗洲庄莊寨营營桥橋]$/u.test(word);
}

/** 三藏 is somebody; 二人, 三怪 and 四将 are so many of them. */
export function isNumberedPerson(word: string): boolean {
  return /^[二三四五][人位名将將兵怪魔妖王鬼军軍子女姐姊哥弟妹叔爷爺娘官公童卒贼賊僧道士国國老家奶嫂更日年]/u.test(
    word,
  );
}

/** Kin, rank and office: people are called so, but it is what they are and not who. */
export function isOrdinaryPerson(word: string): boolean {
  return (
    ordinaryPersons.has(word) ||
    /^老.$/u.test(word) ||
    /^[众眾诸諸两兩数數]/u.test(word) ||
    /^[二三四五]/u.test(word) ||
    /[们們等军軍兵士]$/u.test(word)
  );
}

const ordinaryPersons = new Set(
  (
    '太太 老太太 姑娘 丫头 丫頭 奶奶 老爷 老爺 少爷 少爺 夫人 婆子 媳妇 媳婦 妈妈 媽媽 嬷嬷 姐姐 妹妹 哥哥 弟弟 姊妹 姐妹 兄弟 父亲 父親 母亲 母親 爷爷 爺爺 ' +
    '祖母 祖父 叔叔 伯伯 舅舅 姑妈 姑媽 姨妈 姨媽 嫂子 嫂嫂 丈夫 妻子 儿子 兒子 女儿 女兒 孩子 小姐 公子 先生 大人 小人 老师 老師 师父 師父 师傅 師傅 徒弟 朋友 ' +
    '将军 將軍 丞相 主公 陛下 皇帝 天子 太子 公主 王爷 王爺 大王 皇上 太后 皇后 贵妃 娘娘 先主 后主 後主 使者 使君 军师 軍師 都督 太守 刺史 大夫 司徒 尚书 尚書 太尉 侍郎 ' +
    '和尚 道士 道人 尼姑 僧人 老僧 法师 法師 大师 大師 先锋 先鋒 左右 百姓 贼人 賊人 家人 小厮 小廝 管家 老人 男人 女人 女子 男子 少年 青年 老头 老頭 医生 醫生 ' +
    '众人 眾人 大家 人家 别人 別人 旁人 有人 某人 诸公 諸公 诸将 諸將 众官 眾官 众将 眾將 伏兵 军士 軍士 士兵 敌人 敵人 知县 知縣 县令 縣令 古人 多官 分付 吩咐 寻思 尋思 土人 人报 人報 童子 洞主 太医 太醫 商议 商議 大叫 大怒 传令 傳令 校长 校長 老板 老闆 司机 司機 警察 ' +
    '长老 長老 师兄 師兄 师弟 師弟 师徒 師徒 贤弟 賢弟 贤侄 賢侄 大哥 二哥 三哥 小弟 老弟 老兄 仁兄 恩师 恩師 弟子 门徒 門徒 施主 院主 老者 老儿 老兒 老翁 老妇 老婦 长者 長者 侍者 行人 作者 读者 讀者 记者 記者 学者 學者 医者 醫者 ' +
    '菩萨 菩薩 佛祖 老祖 妖精 妖怪 妖魔 妖王 妖邪 魔头 魔頭 魔王 老魔 老怪 老妖 小妖 女妖 怪物 呆子 泼猴 潑猴 猴王 国王 國王 女王 国师 國師 龙王 龍王 阎王 閻王 土地 山神 城隍 天王 天师 天師 真君 真人 星君 元帅 元帥 太保 驸马 駙馬 ' +
    '驿丞 驛丞 樵夫 樵子 渔翁 漁翁 渔夫 漁夫 书生 書生 秀才 员外 員外 安人 院子 家童 店家 店主 小二 掌柜 掌櫃 客官 客人 差人 官人 相公 老夫 妇人 婦人 女郎 姥姥 婆婆 公公 亲家 親家 大嫂 嫂夫 兄长 兄長 贤妹 賢妹 教授 同学 同學 同志 队长 隊長 班长 班長 经理 經理 主任 书记 書記 局长 局長'
  ).split(' '),
);
