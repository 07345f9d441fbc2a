"""Words of Chinese: a line of a drawing ends between them, as far as they are known.

Chinese has no spaces, and a dictionary would be larger than the course. So this is a list: the words of the glossary,
and those that the course's pictures have. Of several words that begin at a place, the longest counts. A number stays
with what it counts, a short remark in brackets is not divided, and 的 and 了 stay with the word before them.
"""

from __future__ import annotations

import re
from functools import cache

CJK = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff"
"""Characters of Chinese (and its neighbours), with their punctuation; each is one em wide."""
ENDING, OPENING = "，。、；：！？）」』】》〉%…·—”’),.;:!?] ", "（「『【《〈“‘"
"""Marks with which no line begins, and with which none ends."""
ENDS = re.escape(ENDING.strip())
LETTERS = rf"[{CJK}]|[^{CJK}{OPENING}\s]+"
"""A character, or a word in Latin letters."""
MEASURES = "个条次行列步处种块张份项台层件句家组遍轮级分秒核轴名根位"

WORDS = """
一半 一样 一直 一致 一起 一边 上限 上面 下标 下限 下面 不了 不会 不再 不到 不变 不可 不同 不够 不是 不用 不算 不管
不能 不要 不起作用 不足 不过 东西 丢失 两者 两边 个数 中止 中间 为什么 主循环 主机 之一 之中 之前 之后 之间 事件 事先
二维 交换 交给 亲和 亲和性 什么 介绍 仍然 代码 代表 以上 以下 以及 以后 任何 任务 优先 优先级 优选 但是 位置 低于 何时
作用 使用 例如 依据 依次 保存 保护 保持 保留 修改 候选 值得 假定 假设 偏向 偏好 做法 停止 健康 允许 元素 先前 入队
全局 全部 全都 公平 共享 关掉 关系 关闭 其一 其中 其他 其余 其间 内存 内存不足 内容 内核 写下 写入 写出 写成 冲突 决定
准备 准许 减去 出来 出现 出错 函数 分别 分布 分散 分数 分析 分钟 切换 切片 列出 列表 创建 删掉 删除 别人 别处 别的
到来 到达 前面 剩下 副本 加上 加入 加权 加载 加锁 包括 匹配 匹配不上 单位 单元格 单点 单独 占用 压力 原因 原始 原子
原来 去掉 参数 反过来 发现 发生 取代 取值 取出 取消 受害 受害者 变化 变成 另外 只是 只有 只能 只要 只读 可以 可是 可用
可用区 可能 可行 右边 各个 各自 合适 同一个 同时 同样 同步 名字 后台 后来 后面 向下 否决 否则 含义 启动 告诉 周期
命名空间 哪个 哪些 哪条 哪里 唤醒 唯一 回到 回来 回答 因为 因此 固定 地址 地方 均匀 均衡 型号 堆顶 声明 处理 备注
外面 多少 够用 大于 失去 失败 如果 字节 存在 它们 完成 完整 实例 客户端 容器 容忍 容忍度 容量 宿主机 对于 对照 对象
导出 小于 小数 少于 尝试 就是 就绪 属于 属性 工作 工厂 左边 差别 已同步 已有 已经 带有 干扰 平均 并列 并发 并行
广播 应当 应用 应该 开始 异步 强制 归一化 归约 当成 待调度 得分 得到 循环 必须 快照 怎么 怎样 总分 总和 总得分 恢复
情况 情形 成功 成立 或者 所以 所在 所有 所需 才能 打分 打印 打开 执行 扩展 扩展点 找出 找到 抢占 报错 抽取 抽样 拉开
拒绝 拓扑 拖动 拿到 指定 指标 挡路 换成 换算 排序 排斥 排除 探针 接下来 接着 接近 控制 控制器 提交 提名 提示 插件 搜索
操作 改为 改动 改变 改成 放到 放在 放弃 放行 效果 数值 数据 数组 数量 整个 整数 文件 文本 文档 方块 方式 方法 旁边
无法 无锁 日志 时候 时钟 时间 映射 显存 显示 暂时 更好 更新 最低 最先 最后 最多 最大 最好 最小 最少 最早 最终 最高
有关 有污点 有用 服务 服务器 期间 末尾 本地 本来 本次 机会 机器 权重 条件 来自 某些 查看 标签 格子 框架 检查 概率 模拟
次序 次数 正在 正确 步骤 每个 每次 比例 比如 比较 永远 求值 汇总 污点 没有 注册 注解 消息 消费者 淘汰 添加 清单 源码
满分 满足 点数 然后 版本 版本号 特性 状态 独自 现在 生产者 生成 用于 用得上 用户 申领 留下 百分比 监听 目标 直到 直接
相同 相等 看到 知道 确实 碰到 磁盘 离开 种子 租约 移动 移走 程序 稍后 空位 空闲 空间 立刻 竞争 端口 笔误 符合 等于
等待 答案 策略 筛选 算法 类别 精确 系数 索引 累加 约束 级别 练习 组成 终止 终端 绑定 结束 结构 结果 给出 统计 继续
缓存 编号 翻倍 而且 耗时 聚合 胜出 腾出 自动 自己 自带 至少 舍去 节拍 节点 范围 落后 蓄水池 表格 表达式 要求 覆盖 规则
规定 角度 解决 解析 计数 计数器 让位 记录 许多 设备 设备类 设置 访问 评分 询问 说明 请求 读出 读取 调度 调度器 调度门控
调整 调用 负数 资源 赦免 起来 超过 足够 跟着 路径 轮流 输入 输出 过滤 过滤器 过程 运行 返回 还是 还有 还要 这个 这些
这样 这次 这种 这里 进去 进度 进来 进程 进行 违反 连接 追加 退出 退避 适合 选中 选举 选出 选择 选择器 选项 逐个 通常
通知 通过 造成 遇到 遍历 遭到 遵守 避开 那些 那样 那里 部分 配置 里面 重启 重复 重新 重要 重试 错误 镜像 问题 队列
阶梯 阶段 附近 除了 除以 除法 随机 随着 集群 需求 需要 靠近 面板 顺序 预留 预算 预选 领先 马上 驱动 驱逐 高于 默认
障碍 解法 抵消
"""


@cache
def words() -> re.Pattern[str]:
    """What a line does not divide in a text with Chinese: a word with the marks that belong to it, or spaces."""
    number = rf"(?:第 ?)?(?:\d[\d,.]*|[一二两三四五六七八九十几每这那哪各某同]+) ?[{MEASURES}](?![{MEASURES}])"
    known = "|".join((r"[×=+<>≥≤] ?\d[\d,.]*", number, *sorted(WORDS.split(), key=len, reverse=True)))
    return _units(rf"（[^（）]{{1,6}}）|[{OPENING}]*(?:{known}|{LETTERS})(?: ?的|了(?!解))?")


@cache
def characters() -> re.Pattern[str]:
    """The same for a narrow place, where words may be divided."""
    return _units(rf"[{OPENING}]*(?:{LETTERS})")


def _units(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{word})[{ENDS}]*| +|[{OPENING}]+")
